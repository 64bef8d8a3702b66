const WIDTHS = ["w-2/5", "w-full", "w-full", "w-3/4"] as const;

/** Lines that stand in for a text until it is here. */
export function LoadingLines({ lines }: { readonly lines: number }) {
  return (
    <div role="status" className="late flex flex-col gap-3">
      <span className="sr-only">Loading…</span>
      {WIDTHS.slice(0, lines).map((width, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
        <span key={place} aria-hidden className={`h-4 rounded bg-line/60 ${width}`} />
      ))}
    </div>
  );
}

const ROWS = [0, 1, 2, 3, 4] as const;
const BAR = "block h-4 rounded bg-line/60";

/** Stands in for a list: its heads, and rows of the same height. */
export function LoadingRows({ heads }: { readonly heads: readonly string[] }) {
  return (
    <div role="status" className="late">
      <span className="sr-only">Loading…</span>
      <table aria-hidden data-skeleton="list" className="rows w-full text-sm">
        <thead>
          <tr className="text-left text-xs text-soft">
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row) => (
            <tr key={row}>
              {heads.map((head, place) => (
                <td key={head} data-narrow={place === 0 ? "title" : "hidden"}>
                  <span className={`${BAR} my-0.5 ${place === 0 ? "w-3/4" : "w-1/2"}`} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Stands in for the page of one thing: its title, and cards in two columns. */
export function LoadingPage() {
  return (
    <div role="status" data-skeleton="page" className="late flex flex-col gap-5">
      <span className="sr-only">Loading…</span>
      <span aria-hidden className="h-8 w-1/3 rounded bg-line/60" />
      <div aria-hidden className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <Loading lines={4} />
        <div className="flex flex-col gap-4">
          <Loading lines={3} />
          <Loading lines={3} />
        </div>
      </div>
    </div>
  );
}

/** Stands in for a card with numbers and a chart. */
export function LoadingChart() {
  return (
    <div
      role="status"
      data-skeleton="chart"
      className="late flex flex-col gap-3 rounded-lg border border-line bg-card p-4"
    >
      <span className="sr-only">Loading…</span>
      <span aria-hidden className="h-6 w-24 rounded bg-line/60" />
      <span aria-hidden className="h-72 rounded bg-line/60" />
    </div>
  );
}

/** Stands in for a list or a card until its content is here. It is drawn only if that takes a while. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="late rounded-lg border border-line bg-card p-4">
      <LoadingLines lines={lines} />
    </div>
  );
}
