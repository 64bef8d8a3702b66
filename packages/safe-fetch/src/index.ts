export type { Clock } from "./clock.js";
export type { Download } from "./download.js";
export { hasBrokenPunycode } from "./host-names.js";
export type { SafeResponse } from "./request.js";
export { dnsResolver, type Resolver } from "./resolver.js";
export {
  CHECKS_AT_ONCE,
  type FetchFault,
  type FetchOptions,
  type FetchResult,
  SafeFetch,
} from "./safe-fetch.js";
