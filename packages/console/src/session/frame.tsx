import type { ReactNode } from "react";
import { Mark } from "../ui/mark.js";

interface FrameProps {
  readonly title: string;
  /** The title of the browser's tab, if it is another. */
  readonly tab?: string;
  readonly purpose?: ReactNode;
  readonly children: ReactNode;
}

/** A page for somebody who is not signed in. It names no shop, because nobody knows yet whose person they are. */
export function Frame({ title, tab = title, purpose, children }: FrameProps) {
  return (
    <div className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <title>{`${tab} · Gatehouse`}</title>
      <main className="flex w-full max-w-sm flex-col gap-4 rounded-lg border border-line bg-card p-6 sm:p-8">
        <Mark className="size-10" />
        <header className="flex flex-col gap-1">
          <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
          {purpose !== undefined && <p className="text-sm text-soft">{purpose}</p>}
        </header>
        {children}
      </main>
      <footer className="text-sm text-soft">
        <a href="/docs/guide/console.md#sign-in" className="hover:underline">
          Help with signing in
        </a>
      </footer>
    </div>
  );
}
