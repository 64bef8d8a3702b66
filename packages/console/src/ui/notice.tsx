import type { ReactNode } from "react";
import { Refused } from "../api/client.js";

/** A message to the reader, which screen readers announce. */
export function Notice({ bad = false, children }: { bad?: boolean; children: ReactNode }) {
  const look = bad ? "border-bad text-bad" : "border-line text-soft";
  return (
    <p
      role={bad ? "alert" : "status"}
      className={`rounded-lg border px-3 py-2 text-sm wrap-anywhere ${look}`}
    >
      {children}
    </p>
  );
}

/** An error in words. If something does not exist, the error links to Home. */
export function Failure({ error }: { error: unknown }) {
  const text = error instanceof Error ? error.message : "Something went wrong. Try again.";
  return (
    <Notice bad>
      {text}
      {error instanceof Refused && error.code === "not_found" && (
        <>
          {" "}
          <a href="/console" className="link">
            Go to Home
          </a>
        </>
      )}
    </Notice>
  );
}
