import type { ComponentProps } from "react";

const KINDS = {
  act: "bg-act text-act-ink border-act hover:opacity-90",
  plain: "bg-transparent text-ink border-line hover:border-soft",
  danger: "bg-transparent text-bad border-bad hover:bg-bad/10",
} as const;

export function Button({
  kind = "plain",
  className = "",
  ...rest
}: ComponentProps<"button"> & { readonly kind?: keyof typeof KINDS }) {
  const look =
    "rounded-lg border px-3 py-1.5 text-sm font-medium disabled:opacity-50 aria-pressed:border-act aria-pressed:bg-act/10 aria-pressed:text-act";
  return <button type="button" className={`${look} ${KINDS[kind]} ${className}`} {...rest} />;
}
