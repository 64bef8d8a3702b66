import { webName } from "../../infra/web-name.js";

export const NOT_LISTED = "This platform is not in the site's list.";

/** The identity of a platform in the list that a person names by its domain or host. */
export const hostNamed = (text: string): string => webName(`https://${text}/`)?.host ?? text;
