import { useState } from "react";

const SAID_MS = 2000;

function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }
  return (
    <button
      type="button"
      aria-label={`Copy ${label}`}
      onClick={() => void copy()}
      className="shrink-0 rounded border border-line px-1.5 py-0.5 font-sans text-xs text-soft hover:border-soft"
    >
      <span aria-live="polite">{copied ? "Copied" : "Copy"}</span>
    </button>
  );
}

/** An ID with a button that copies it. */
export function Id({ value, label = "ID" }: { readonly value: string; readonly label?: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 align-bottom">
      <code className="break-all text-xs">{value}</code>
      <CopyButton text={value} label={label} />
    </span>
  );
}

/** A longer text with a button that copies it. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-back p-2">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <pre tabIndex={0} className="max-h-96 min-w-0 flex-1 overflow-auto text-xs">
        {text}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
