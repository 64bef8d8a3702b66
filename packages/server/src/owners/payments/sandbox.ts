export {
  endChallenge,
  type SandboxRow,
  sandboxByReference,
} from "./processors/sandbox/store.js";
