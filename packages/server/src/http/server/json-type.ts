const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** Whether a `Content-Type` says JSON, in the only encoding JSON has. */
export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(type);
}

/** Whether a body comes as it is: compressed ones are not taken. */
export function isPlainEncoding(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === "identity";
}
