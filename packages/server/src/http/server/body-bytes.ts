/** First room for a body that comes in pieces; it doubles as it is filled. */
const ROOM_BYTES = 4096;

/**
 * Pieces put together as they come: kept one by one, pieces of a byte each would take hundreds of
 * times the room of the body they make.
 */
export class BodyBytes {
  private readonly bytesMax: number;
  /** All of it so far, where it came in one piece: most bodies do, and are not copied. */
  private only: Uint8Array | undefined;
  private room: Buffer | undefined;
  private length = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** False once there is more than may be. */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length;
    if (length > this.bytesMax) return false;
    if (this.length === 0) {
      this.only = piece;
    } else {
      const room = this.roomFor(length);
      room.set(piece, this.length);
      this.only = undefined;
    }
    this.length = length;
    return true;
  }

  private roomFor(length: number): Buffer {
    if (this.room !== undefined && length <= this.room.length) return this.room;
    const larger = Buffer.allocUnsafe(Math.min(this.bytesMax, Math.max(ROOM_BYTES, 2 * length)));
    larger.set(this.only ?? this.room?.subarray(0, this.length) ?? []);
    this.room = larger;
    return larger;
  }

  /** Gives the memory back: a refused request may stay open for a while. */
  drop(): void {
    this.only = undefined;
    this.room = undefined;
  }

  whole(): Uint8Array {
    return this.only ?? this.room?.subarray(0, this.length) ?? new Uint8Array();
  }
}
