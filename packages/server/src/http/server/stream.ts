const CHUNK_CHARS_MIN = 32 * 1024;

/**
 * A body that is made while it is sent, no faster than the reader takes it. When making it fails,
 * the connection ends early: a reader never takes half for the whole.
 */
export function streamOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      while (text.length < CHUNK_CHARS_MIN) {
        const next = await iterator.next();
        if (next.done === true) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
