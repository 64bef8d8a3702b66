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

/** Stands in for a list or a card until its content is here. It is drawn only if that takes a while. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="late rounded-xl border border-line bg-card p-4">
      <LoadingLines lines={lines} />
    </div>
  );
}
