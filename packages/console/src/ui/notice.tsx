import type { ReactNode } from "react";

/** Something that went wrong, or is worth knowing; read out where somebody cannot see it. */
export function Notice({ bad = false, children }: { bad?: boolean; children: ReactNode }) {
  const look = bad ? "border-bad text-bad" : "border-line text-soft";
  return (
    <p role={bad ? "alert" : "status"} className={`rounded-lg border px-3 py-2 text-sm ${look}`}>
      {children}
    </p>
  );
}

/** What a failure says to a person. */
export function Failure({ error }: { error: unknown }) {
  const text = error instanceof Error ? error.message : "Something went wrong.";
  return <Notice bad>{text}</Notice>;
}
