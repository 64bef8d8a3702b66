import { type Api, call } from "../api/client.js";
import { fitPicture, uploadPicture } from "./shrink-picture.js";

type Product = Api["Product"];

interface Saving {
  /** Of the site in the API. */
  readonly path: string;
  /** Undefined for a product that the site has already. */
  readonly newId: string | undefined;
  readonly id: string;
  readonly fields: object;
  readonly file: File | null;
}

const query = (id: string) => `?id=${encodeURIComponent(id)}`;

/**
 * Saves a product, and then its picture. Returns what is wrong with the picture of a product that was added all the
 * same.
 */
export async function saveProduct({
  path,
  newId,
  id,
  fields,
  file,
}: Saving): Promise<string | undefined> {
  // Before anything is saved: most wrong files are seen here.
  const picture = file === null ? undefined : await fitPicture(file);
  if (newId === undefined) await call("PATCH", `${path}/products${query(id)}`, fields);
  else await call("POST", `${path}/products`, { id: newId, ...fields });
  if (picture === undefined) return undefined;
  const place = `${path}/products/picture${query(newId ?? id)}`;
  const saving = uploadPicture<Product>(place, picture);
  if (newId === undefined) await saving;
  return saving.then(
    () => undefined,
    (error: Error) => error.message,
  );
}
