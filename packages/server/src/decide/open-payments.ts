export { measureOpen as measureOpenPayments } from "../owners/payments/store.js";
