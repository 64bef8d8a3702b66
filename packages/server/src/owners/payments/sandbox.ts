export {
  endAuthorization,
  endDisputes,
  holdAuthorization,
  insertReturn,
  returnsOf,
} from "./processors/sandbox/returns/store.js";
export {
  endChallenge,
  type SandboxRow,
  sandboxByReference,
} from "./processors/sandbox/store.js";
