import type { ExportSnapshot } from "./snapshot.js";

const DIGESTS_MAX = 10_000;

/** Digests of the parts of exports under way; forgotten ones are made again. */
export class PartDigests {
  private readonly known = new Map<string, string>();

  private name({ tokenId, chain, day, format, expiresAt }: ExportSnapshot, part: number): string {
    return [tokenId, chain, day, format, expiresAt, part].join(" ");
  }

  get(snapshot: ExportSnapshot, part: number): string | undefined {
    return this.known.get(this.name(snapshot, part));
  }

  set(snapshot: ExportSnapshot, part: number, digest: string): void {
    if (this.known.size >= DIGESTS_MAX) this.known.clear();
    this.known.set(this.name(snapshot, part), digest);
  }
}
