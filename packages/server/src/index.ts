/** What the command line needs of the service; everything else stays inside. */
export { type Environment, readConfig } from "./config/config.js";
export { VARIABLES, type Variable } from "./config/variables.js";
export { type Running, start } from "./main.js";
export { OPERATOR_TOKEN_FILE } from "./owners/tokens/operator-token.js";
export { DatabaseUnavailableError } from "./platform/db/database.js";
export { EXIT_CANNOT_START, StartupError } from "./startup-error.js";
export { type BackupReport, backup } from "./upkeep/backup.js";
export { BackupFileError } from "./upkeep/backup-error.js";
export { doctor } from "./upkeep/doctor.js";
export type { Finding } from "./upkeep/finding.js";
export { type RestoreReport, restore } from "./upkeep/restore.js";
export { VERSION } from "./version.js";
