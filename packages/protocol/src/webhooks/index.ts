export {
  type HmacMessage,
  hmacWebhookSecret,
  signHmacWebhook,
  verifyHmacWebhook,
} from "./hmac-webhook.js";
export { signWebhook, type WebhookDelivery } from "./sign-webhook.js";
