import { call, Refused } from "../api/client.js";
import { Unfit } from "../ui/problems.js";

/** The service refuses larger files and pictures with more pixels. */
const BYTES_MAX = 5 * 1024 * 1024;
const PIXELS_MAX = 25_000_000;
/** The longer side of a picture that was made smaller: enough for a whole screen. */
const SIDE_PIXELS = 2400;
const QUALITY = 0.85;

export const PICTURE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp"];

const NO_PICTURE = "Choose a JPEG, PNG or WebP file.";

/** Draws a picture in a smaller size. */
async function drawn(picture: ImageBitmap): Promise<Blob | null> {
  const scale = Math.min(1, SIDE_PIXELS / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  const pen = canvas.getContext("2d");
  if (pen === null) return null;
  // A JPEG has no transparent parts.
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
}

/** A file as the service takes it. A large photo becomes a smaller one here, so that nobody needs a program for it. */
export async function fitPicture(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) throw new Unfit("picture", NO_PICTURE);
  const { width, height } = picture;
  const fits = file.size <= BYTES_MAX && width * height <= PIXELS_MAX;
  const image = fits && PICTURE_TYPES.includes(file.type) ? file : await drawn(picture);
  picture.close();
  if (image === null) throw new Unfit("picture", NO_PICTURE);
  return image;
}

/** Uploads a picture. What the service says about the file is shown beside its field. */
export async function uploadPicture<Saved>(path: string, picture: Blob): Promise<Saved> {
  try {
    return await call<Saved>("PUT", path, picture);
  } catch (error) {
    if (error instanceof Refused) throw new Unfit("picture", error.message);
    throw error;
  }
}
