/**
 * What commands need to know about an installation without running it. Nothing here loads the database, the
 * web server or the log, because most commands only call a running service and should start at once.
 */
export { type Environment, readConfig } from "./config/config.js";
export { VARIABLES, type Variable } from "./config/variables.js";
export { OPERATOR_TOKEN_FILE } from "./domain/access/operator-token.js";
export { DatabaseUnavailableError } from "./infra/db/database.js";
export { BackupFileError } from "./maintenance/backup-lines.js";
export { StartupError } from "./startup-error.js";
export { VERSION } from "./version.js";
