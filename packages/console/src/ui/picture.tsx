import { Package } from "lucide-react";

/** Encrypted, or served by this service, which somebody may try without TLS. */
const isShown = (url: string) =>
  ["https://", "/", `${location.origin}/`].some((start) => url.startsWith(start));

/** The picture of a product, or a stand-in of the same size. */
export function Picture({
  url,
  className = "size-14",
}: {
  readonly url: string | null;
  readonly className?: string;
}) {
  const look = `${className} shrink-0 rounded-lg`;
  if (url !== null && isShown(url)) {
    return (
      <img
        src={url}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        className={`${look} object-cover`}
      />
    );
  }
  return (
    <span className={`${look} grid place-items-center border border-line text-soft`}>
      <Package aria-hidden size={20} strokeWidth={1.75} />
    </span>
  );
}
