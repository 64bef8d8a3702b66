import type { ReactNode } from "react";
import { HelpLink } from "./help.js";

interface PageProps {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly purpose?: ReactNode;
  /** Buttons for the whole page. */
  readonly actions?: ReactNode;
  /** Links to the pages that belong together with this one. */
  readonly tabs?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its title, purpose and content. */
export function Page({ title, purpose, actions, tabs, children }: PageProps) {
  return (
    <section className="flex flex-col gap-5">
      <title>{`${title} · Gatehouse`}</title>
      {tabs}
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 max-sm:flex-none max-sm:basis-full">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {purpose !== undefined && <p className="mt-1 max-w-prose text-sm text-soft">{purpose}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <HelpLink />
          {actions}
        </div>
      </header>
      {children}
    </section>
  );
}

/** A section of a page. */
export function Card({
  id,
  title,
  actions,
  children,
}: {
  /** What links on the page lead to. */
  readonly id?: string;
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section
      id={id}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-card p-4"
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-center gap-2">
          <h2 className="min-w-0 flex-1 font-semibold wrap-anywhere">{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

/** A section of a page for what is done now and then: only its title, until somebody opens it. */
export function FoldCard({
  title,
  open = false,
  children,
}: {
  readonly title: string;
  /** Whether it is open at first. */
  readonly open?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <details open={open} className="min-w-0 rounded-lg border border-line bg-card p-4">
      <summary>
        <h2 className="inline pl-1 font-semibold">{title}</h2>
      </summary>
      <div className="mt-3 flex flex-col gap-3">{children}</div>
    </details>
  );
}

/** A list of names and values. Empty values are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-1.5 text-sm">
      {rows
        .filter(
          ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
        )
        .map(([name, value]) => (
          <div key={name} className="col-span-2 grid grid-cols-subgrid">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Why it is empty, in one sentence. */
  readonly children: ReactNode;
  /** What will be here, as it will look. */
  readonly example?: ReactNode;
  /** The one thing to do now. */
  readonly action?: ReactNode;
}

/** Shown instead of an empty list: why it is empty, what will be here, and what to do. */
export function Empty({ title, children, example, action }: EmptyProps) {
  return (
    <div
      data-empty
      className="flex flex-col items-start gap-3 rounded-lg border border-dashed border-line px-5 py-8 text-sm"
    >
      <p className="text-base font-medium wrap-anywhere">{title}</p>
      <div className="flex w-full min-w-0 max-w-prose flex-col gap-2 text-soft">{children}</div>
      {example !== undefined && (
        <p
          data-example
          className="max-w-full break-words rounded-lg border border-line bg-card px-3 py-2"
        >
          <span className="text-soft">Example: </span>
          {example}
        </p>
      )}
      {action}
    </div>
  );
}
