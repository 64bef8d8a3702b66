/**
 * What a command must know of an installation without running it. Nothing here loads the database,
 * the web server or the log: most commands only ask a running service, and should start at once.
 */
export { type Environment, readConfig } from "./config/config.js";
export { VARIABLES, type Variable } from "./config/variables.js";
export { OPERATOR_TOKEN_FILE } from "./owners/tokens/operator-token.js";
export { DatabaseUnavailableError } from "./platform/db/database.js";
export { StartupError } from "./startup-error.js";
export { BackupFileError } from "./upkeep/backup-error.js";
export { VERSION } from "./version.js";
