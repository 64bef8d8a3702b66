import { Argument, InvalidArgumentError, Option } from "commander";

function oneOf(values: readonly string[]): (text: string) => string {
  return (text) => {
    if (values.includes(text)) return text;
    throw new InvalidArgumentError(`Use one of: ${values.join(", ")}.`);
  };
}

/** An option that takes one of a few words; a wrong one is answered with the right ones. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values).argParser(oneOf(values));
}

/** An argument of the same kind. */
export function choiceArgument(
  name: string,
  description: string,
  values: readonly string[],
): Argument {
  return new Argument(name, description).choices(values).argParser(oneOf(values));
}
