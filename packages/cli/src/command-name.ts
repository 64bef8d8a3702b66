/** Where npm links the commands of the packages that a folder has installed. */
const LINKED = /[\\/]node_modules[\\/]\.bin[\\/]gatehouse$/;
/** The command itself, which npx starts directly on Windows. */
const PROGRAM = /[\\/]gatehouse(?:\.js)?$/;

/**
 * The command as the user can type it again. After `npm install` in a folder, the shell finds it only through npx.
 * A global installation, a container and `deploy/gatehouse-command.sh` put it on the path.
 */
export function commandName(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
): "gatehouse" | "npx gatehouse" {
  const byNpx = env.npm_command === "exec" && PROGRAM.test(script);
  return byNpx || LINKED.test(script) ? "npx gatehouse" : "gatehouse";
}

const NAME = commandName(process.argv[1] ?? "", process.env);
/** A command in a sentence: `gatehouse site list`, but not the name of a file or of the product. */
const COMMAND = /(?<!npx |[\w./@-])gatehouse(?= (?:--)?[a-z])/g;

/** Printed advice, with its commands as the user can type them. */
export function runnable(text: string, name: string = NAME): string {
  return text.replace(COMMAND, name);
}
