/** What runs or opens an installation. What only describes one is in `installation.ts`. */

export { readDomain } from "./domain/sites/domain.js";
export { type BackupReport, backup } from "./maintenance/backup.js";
export { doctor } from "./maintenance/doctor.js";
export type { Finding } from "./maintenance/finding.js";
export { type RestoreReport, restore } from "./maintenance/restore.js";
export { start, startWorkers } from "./quiet-terminal.js";
export type { Running } from "./serve.js";
export type { RunningWorkers } from "./workers.js";
