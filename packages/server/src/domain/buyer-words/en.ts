/** The words of the pages for buyers in English. The other languages have the same keys. */
export const en = {
  /** Whether somebody who speaks the language natively has read the table. */
  reviewed: false as boolean,

  order: {
    heading: "Your order",
    items: "Items",
    soldOut: "sold out",
    unavailable: "not available",
    cancelledPieces: "{count} cancelled",
    subtotal: "Subtotal",
    discount: "Discount",
    delivery: "Delivery",
    tax: "Tax",
    total: "Total",
    refunded: "Refunded",
    number: "Order {id}",
    deliverTo: "Delivery to {place}",
    test: "Test mode: no money moves, and nothing is shipped.",
  },

  form: {
    contact: "Contact",
    email: "Email address",
    address: "Delivery address",
    firstName: "First name",
    lastName: "Last name",
    street: "Street and number",
    extended: "Apartment or floor (optional)",
    postalCode: "Postal code",
    city: "City",
    region: "State or region (optional)",
    country: "Country",
    chooseCountry: "Choose a country",
    phone: "Phone number (optional)",
    method: "Delivery method",
    oneDay: "1 day",
    days: "{count} days",
    fromToDays: "{from} to {to} days",
    proceed: "Continue",
    update: "Update the order",
    /** The button that places the order: EU law wants it to name the obligation to pay. */
    pay: "Order and pay",
    payNext: "You pay on the next page, with the shop's payment provider.",
    agree: "By ordering you accept the {terms}.",
    terms: "terms of the shop",
    links: {
      terms_of_service: "Terms of service",
      privacy_policy: "Privacy policy",
      refund_policy: "Refund policy",
      shipping_policy: "Shipping policy",
      faq: "Questions and answers",
    },
  },

  /** What is missing before the order can be placed. */
  missing: {
    email: "Enter your email address.",
    address: "Complete the delivery address.",
    option: "Choose a delivery method.",
    deliverable: "The shop does not deliver there. Choose another address.",
    payable: "This order is too large for one payment.",
    shop: "The shop's system does not answer now. Try again in a minute.",
    taxes:
      "Choose a country, and a state or region if it has one, so that taxes can be calculated.",
    lines:
      "Some items are not available now. Go back to where you chose them, and change the order.",
  },

  /** Why the order was not placed. Nothing was charged in any of these cases. */
  notice: {
    changed: "Something has changed since you opened this page. Check the order, then continue.",
    payment_failed: "The payment was not completed, and nothing was charged. You can try again.",
    out_of_stock: "An item sold out before you paid. Nothing was charged.",
    sales_paused: "The shop has paused sales. Nothing was charged. Try again later.",
    review_expired: "The shop did not review the order in time. You can try again.",
    review_invalidated: "The order changed before the shop could review it. You can try again.",
    too_many_open:
      "Too many payments are open from your network. Finish or cancel one, or wait a while.",
    too_many_tries:
      "There were too many attempts for this order. Go back to where you chose the items, and start again.",
    too_many_reviews: "Too many orders need review by the shop. Try again later.",
    unavailable:
      "The order cannot be placed right now. Nothing was charged. Try again in a few minutes.",
  },

  /** The state of an order that cannot be changed on the page now. */
  state: {
    paused: {
      heading: "The shop has paused sales",
      text: "Nothing was charged. Keep this page, and try again later.",
    },
    closed: {
      heading: "You cannot pay here now",
      text: "The shop does not accept orders on this page at the moment. Nothing was charged. You can order directly from the shop.",
    },
    refused: {
      heading: "The shop does not accept this order",
      text: "Nothing was charged. You can order directly from the shop.",
    },
    ended: {
      heading: "This order is no longer open",
      text: "It was cancelled or has expired. Nothing was charged.",
    },
    review: {
      heading: "The shop is reviewing this order",
      text: "The shop has to approve it first. Nothing was charged. This page updates automatically.",
      act: "Pay now",
    },
    opening: {
      heading: "One moment",
      text: "The payment page is opening. This page updates automatically.",
    },
    page: {
      heading: "Finish your payment",
      text: "The items are reserved for you until {time}.",
      act: "Continue to payment",
      cancel: "Change the order",
    },
    elsewhere: {
      heading: "This order is being paid in another browser",
      text: "Finish the payment there. If you start again here, the other payment is cancelled.",
      cancel: "Start again here",
    },
    bank: {
      heading: "Your bank asks you to confirm",
      text: "Confirm this payment with your bank. Then you return to this page.",
      act: "Continue to your bank",
    },
    confirming: {
      heading: "One moment",
      text: "Your payment is being confirmed. This page updates automatically.",
    },
  },

  /** The state of an order after it was placed. */
  placed: {
    thanks: "Thank you for your order",
    authorized: "The shop received your order. You are charged when the shop processes it.",
    captured: "The shop received your order and your payment.",
    shipped: "Your order is on its way",
    shippedAll: "All items were shipped.",
    partlyShipped: "Part of your order is on its way",
    restFollows: "The rest will follow.",
    arrived: "Your order has arrived",
    arrivedAll: "All items were delivered.",
    cancelled: "This order was cancelled",
    nothingTaken: "You are not charged for it.",
    givenBack: "The shop had already captured the payment and will refund it.",
    history: "History",
    track: "Track the shipment",
  },

  /** Events of an order. */
  event: {
    processing: "Being packed",
    shipped: "Sent",
    in_transit: "On its way",
    delivered: "Delivered",
    failed_attempt: "Could not be delivered. There will be another attempt",
    undeliverable: "Could not be delivered",
    returned_to_sender: "Returned to the shop",
    cancelled: "Cancelled",
    refundPending: "Refund of {amount}: in progress",
    refundCompleted: "Refund of {amount}: done",
    refundFailed: "Refund of {amount}: failed",
    onePiece: "1 item",
    pieces: "{count} items",
  },

  /** The page of a cart, which leads to the order. */
  cart: {
    heading: "Your cart",
    text: "Delivery and taxes are added in the next step.",
    ended: "This cart no longer exists",
    endedText: "It was cancelled or has expired.",
  },

  /** The test page of the sandbox, in place of a payment provider. */
  sandbox: {
    heading: "Test payment",
    text: "This is the test page of the sandbox. No money moves.",
    pay: "Pay {amount} with a test card",
    decline: "Use a card that is declined",
    challenge: "Use a card that the bank must confirm",
    back: "Back to the order",
    declined: "The card was declined. Use another card.",
    ended: "This payment has ended.",
    bankHeading: "Pay {amount}?",
    bankText: "This is the bank of the sandbox. No money moves.",
    confirm: "Confirm",
    refuse: "Refuse",
    answered: "You have already answered.",
  },
};

export type BuyerWords = typeof en;
