/** For a flag that may be repeated: its values, in order. */
export const collect = (value: string, before: string[] = []) => [...before, value];
