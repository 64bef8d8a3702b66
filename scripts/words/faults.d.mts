/** What is wrong with a text of a program. */
export function textFaults(text: string): string[];
