/** The script of an HTML export, for its element. */
export function bundleAuditPage(): Promise<string>;
