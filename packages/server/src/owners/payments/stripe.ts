/** What `decide` needs of Stripe besides having it authorize: its keys, its calls, its integers. */
export { moneyOfStripe } from "./processors/stripe/amounts.js";
export { verifyHook } from "./processors/stripe/hook.js";
export {
  isHookSecret,
  type KeyReport,
  ownsIntent,
  publishableMode,
  reportOnKey,
} from "./processors/stripe/key.js";
