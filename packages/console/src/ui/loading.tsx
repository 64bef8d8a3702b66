import type { ReactNode } from "react";

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

/** What all skeletons share: they are drawn only if loading takes a while, and say so to screen readers. */
function Skeleton({
  name,
  className = "gap-5",
  children,
}: {
  /** What it stands in for. */
  readonly name: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <div role="status" data-skeleton={name} className={`late flex flex-col ${className}`}>
      <span className="sr-only">Loading…</span>
      {children}
    </div>
  );
}

const CARD = "rounded-lg border border-line bg-card p-4";

/** A grey bar instead of a title, an amount or a button. */
const Bar = ({ className }: { readonly className: string }) => (
  <span aria-hidden className={`block rounded-lg bg-line/60 ${className}`} />
);

/** Goods: pictures with lines beside them. */
function GoodsLines() {
  return (
    <div className={`${CARD} flex flex-col gap-3`}>
      {[0, 1].map((line) => (
        <span key={line} className="flex items-center gap-3">
          <Bar className="size-12 shrink-0" />
          <Bar className="h-4 w-1/2" />
          <Bar className="ml-auto h-4 w-16" />
        </span>
      ))}
      <Bar className="h-4 w-full" />
    </div>
  );
}

/** Stands in for the title of a page and the sentence below it. On a phone, what can be done is below both. */
export function LoadingTitled({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex flex-col gap-5">
      <span className="late flex flex-col gap-1">
        <Bar className="h-9 w-48" />
        <Bar className="h-5 w-32" />
        <Bar className="h-8 w-36 sm:hidden" />
      </span>
      {children}
    </div>
  );
}

/** Stands in for the page of one thing: its title, and cards in two columns. */
export function LoadingPage() {
  return (
    <Skeleton name="page">
      <Bar className="h-8 w-1/3" />
      <div aria-hidden className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <Loading lines={4} />
        <div className="flex flex-col gap-4">
          <Loading lines={3} />
          <Loading lines={3} />
        </div>
      </div>
    </Skeleton>
  );
}

/** Stands in for an order: its number, its amount and state, the goods, and facts at the right. */
export function LoadingOrder() {
  return (
    <Skeleton name="order">
      <span className="flex flex-col gap-2">
        <Bar className="h-9 w-48" />
        <Bar className="h-8 w-48 sm:hidden" />
      </span>
      <span className="flex flex-col gap-2">
        <span className="flex items-center gap-4">
          <Bar className="h-8 w-28" />
          <Bar className="h-5 w-20" />
        </span>
        <Bar className="h-5 w-40 sm:hidden" />
      </span>
      <div aria-hidden className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <div className="flex flex-col gap-4">
          <GoodsLines />
          <Loading lines={3} />
        </div>
        <div className="flex flex-col gap-4">
          <Loading lines={3} />
          <Loading lines={4} />
          <Loading lines={4} />
        </div>
      </div>
    </Skeleton>
  );
}

/** Stands in for a review: the amount, the buttons beside it, and below what to decide by. */
export function LoadingReview() {
  return (
    <Skeleton name="review" className={`gap-4 ${CARD}`}>
      <span className="flex flex-wrap justify-between gap-2">
        <Bar className="h-8 w-36" />
        <span className="flex gap-2 max-sm:w-full">
          <Bar className="h-9 w-24 max-sm:flex-1" />
          <Bar className="h-9 w-24 max-sm:flex-1" />
        </span>
      </span>
      <Bar className="h-4 w-1/3" />
      <div aria-hidden className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <GoodsLines />
        <LoadingLines lines={4} />
        <LoadingLines lines={3} />
        <LoadingLines lines={3} />
      </div>
    </Skeleton>
  );
}

/** Stands in for Home below its title: what needs attention, the range, and the sales. */
export function LoadingHome() {
  return (
    <Skeleton name="home">
      <Loading lines={4} />
      <Bar className="h-9 w-36" />
      <LoadingChart />
    </Skeleton>
  );
}

/** Stands in for a card with numbers and a chart. */
export function LoadingChart() {
  return (
    <Skeleton name="chart" className={`gap-3 ${CARD}`}>
      <Bar className="h-6 w-24" />
      <Bar className="h-72" />
    </Skeleton>
  );
}

/** Stands in for a list or a card until its content is here. It is drawn only if that takes a while. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className={`late ${CARD}`}>
      <LoadingLines lines={lines} />
    </div>
  );
}
