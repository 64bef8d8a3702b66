import type { ReactNode } from "react";

/** A part of a review, with its title. */
export function Part({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-sm font-medium text-soft">{title}</h3>
      {children}
    </section>
  );
}
