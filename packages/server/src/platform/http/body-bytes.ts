/** First room for a body that comes in pieces; it doubles as it is filled. */
const ROOM_BYTES = 4096;

/**
 * Pieces put together as they come: kept one by one, pieces of a byte each would take hundreds of
 * times the room of the body they make.
 */
export class BodyBytes {
  private readonly bytesMax: number;
  private room: Buffer | undefined;
  private length = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** False once there is more than may be. */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length;
    if (length > this.bytesMax) return false;
    if (this.room === undefined || length > this.room.length) {
      const size = Math.min(this.bytesMax, Math.max(ROOM_BYTES, 2 * length));
      const larger = Buffer.allocUnsafe(size);
      this.room?.copy(larger, 0, 0, this.length);
      this.room = larger;
    }
    this.room.set(piece, this.length);
    this.length = length;
    return true;
  }

  whole(): Buffer {
    return (this.room ?? Buffer.alloc(0)).subarray(0, this.length);
  }
}
