import { statSync } from "node:fs";
import { extname } from "node:path";
import { CommandError, EXIT } from "./exit.js";

/** What a file is sent as. The service decides by its bytes what it is. */
const TYPES: Readonly<Record<string, string>> = {
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
};

/** What can be uploaded, for the help of commands. */
export const PICTURE_FILE = "JPEG, PNG or WebP file of up to 5 MB and 25 megapixels";

/**
 * The content type of a file that exists and can be a picture by its name. Commands check this before they ask the
 * service for anything.
 */
export function pictureType(file: string): string {
  const type = TYPES[extname(file).toLowerCase()];
  if (type === undefined) {
    const hint = "Use a .jpg, .png or .webp file.";
    throw new CommandError(`${file} is not a supported picture file.`, EXIT.usage, hint);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new CommandError(`${file} does not exist.`, EXIT.failed, "Check the path of the file.");
  }
  return type;
}
