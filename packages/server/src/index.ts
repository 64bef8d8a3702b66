/** What runs or opens an installation. What only describes one is in `installation.ts`. */
export type { Running } from "./main.js";
export { readDomain } from "./owners/sites/domain.js";
export { start } from "./quiet-terminal.js";
export { type BackupReport, backup } from "./upkeep/backup.js";
export { doctor } from "./upkeep/doctor.js";
export type { Finding } from "./upkeep/finding.js";
export { type RestoreReport, restore } from "./upkeep/restore.js";
