const STEPS = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
const TICKS_MAX = 5;

/** The numbers of an axis that begins at zero and ends above the highest value. */
export function axisOf(highest: number): {
  readonly top: number;
  readonly ticks: readonly number[];
} {
  const step = STEPS.find((one) => highest / one < TICKS_MAX) ?? highest;
  const count = Math.floor(highest / step) + 1;
  const ticks = Array.from({ length: count + 1 }, (_, place) => place * step);
  return { top: count * step, ticks };
}

const FORMS = {
  hour: { hour: "numeric", minute: "2-digit" },
  day: { month: "short", day: "numeric" },
} as const;
export type StepKind = keyof typeof FORMS;

/** The short label of an hour or a day. */
export const markText = (ms: number, by: StepKind, timeZone: string) =>
  new Date(ms).toLocaleString(undefined, { ...FORMS[by], timeZone });

/** The full name of an hour or a day. */
export const stepText = (ms: number, by: StepKind, zone: string) =>
  by === "day"
    ? markText(ms, "day", zone)
    : `${markText(ms, "day", zone)}, ${markText(ms, "hour", zone)}`;
