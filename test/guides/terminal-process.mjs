/**
 * Commands of a built checkout in one process, which loads them once: starting each costs more than
 * running it. It has a working folder, which a thread of the tests has not.
 */
import { pathToFileURL } from "node:url";

const [, , command] = process.argv;
// As `npx gatehouse` starts it, so that it prints its commands in the same way.
process.argv[1] = "/node_modules/.bin/gatehouse";
const { runCommand } = await import(pathToFileURL(command).href);
/** What `serve` and `init` print when they are ready. */
const READY = /listening on[\s\S]*operator token|The service is running\./;
/** What a command ends with that threw; none of ours does. */
const BROKEN = 70;

// Each `serve` listens for signals anew.
process.setMaxListeners(0);

async function run({ id, args, env, cwd, answers }) {
  process.chdir(cwd);
  const output = { out: "", err: "" };
  let ready = false;
  const note = (stream) => (text) => {
    output[stream] += `${text}\n`;
    if (ready || !READY.test(output.out)) return;
    ready = true;
    process.send({ id, ready, ...output });
  };
  const ask = async (question) => {
    const [, answer] = answers.find(([words]) => question.includes(words)) ?? [];
    if (answer === undefined) throw new Error(`nobody knows an answer to “${question}”`);
    return answer;
  };
  const code = await runCommand(args, { env, out: note("out"), err: note("err"), ask }).catch(
    (error) => {
      output.err += `${error.stack}\n`;
      return BROKEN;
    },
  );
  process.send({ id, code, ...output });
}

process.on("message", (message) => {
  if (message.stop) process.emit("SIGTERM");
  else void run(message);
});
process.on("disconnect", () => process.exit());
process.send({ loaded: true });
