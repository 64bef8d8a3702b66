import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in Spanish. */
export const es: BuyerWords = {
  reviewed: false,

  order: {
    heading: "Su pedido",
    items: "Artículos",
    soldOut: "agotado",
    unavailable: "no disponible",
    cancelledPieces: "{count} cancelado(s)",
    subtotal: "Subtotal",
    discount: "Descuento",
    delivery: "Envío",
    tax: "Impuestos",
    total: "Total",
    refunded: "Reembolsado",
    number: "Pedido {id}",
    deliverTo: "Entrega en {place}",
    test: "Modo de prueba: no se cobra nada ni se envía nada.",
  },

  form: {
    contact: "Contacto",
    email: "Correo electrónico",
    address: "Dirección de entrega",
    firstName: "Nombre",
    lastName: "Apellidos",
    street: "Calle y número",
    extended: "Piso o apartamento (opcional)",
    postalCode: "Código postal",
    city: "Ciudad",
    region: "Provincia, estado o región (opcional)",
    country: "País",
    chooseCountry: "Seleccione un país",
    phone: "Teléfono (opcional)",
    method: "Método de envío",
    oneDay: "1 día",
    days: "{count} días",
    fromToDays: "{from} a {to} días",
    proceed: "Continuar",
    update: "Actualizar el pedido",
    pay: "Pedido con obligación de pago",
    payNext:
      "El pago se realiza en la página siguiente, a través del proveedor de pagos de la tienda.",
    agree: "Al realizar el pedido, acepta los {terms}.",
    terms: "términos y condiciones de la tienda",
    links: {
      terms_of_service: "Términos y condiciones",
      privacy_policy: "Política de privacidad",
      refund_policy: "Política de reembolso",
      shipping_policy: "Política de envío",
      faq: "Preguntas frecuentes",
    },
  },

  missing: {
    email: "Introduzca su correo electrónico.",
    address: "Complete la dirección de entrega.",
    option: "Seleccione un método de envío.",
    deliverable: "La tienda no realiza envíos a esa dirección. Indique otra.",
    payable: "El importe de este pedido es demasiado alto para un solo pago.",
    shop: "El sistema de la tienda no responde en este momento. Inténtelo de nuevo en un minuto.",
    taxes:
      "Seleccione un país y, si corresponde, una provincia, estado o región para poder calcular los impuestos.",
    lines:
      "Algunos artículos no se pueden comprar en este momento. Vuelva al lugar donde los eligió y modifique el pedido.",
  },

  notice: {
    changed: "Algo ha cambiado desde que abrió esta página. Revise el pedido antes de continuar.",
    payment_failed:
      "El pago no se ha completado y no se ha cobrado nada. Puede intentarlo de nuevo.",
    out_of_stock: "Un artículo se agotó antes de completarse el pago. No se ha cobrado nada.",
    sales_paused:
      "La tienda ha suspendido temporalmente las ventas. No se ha cobrado nada. Inténtelo más tarde.",
    review_expired: "La tienda no revisó el pedido a tiempo. Puede intentarlo de nuevo.",
    review_invalidated:
      "El pedido cambió antes de que la tienda pudiera revisarlo. Puede intentarlo de nuevo.",
    too_many_open:
      "Hay demasiados pagos pendientes desde su red. Complete o cancele alguno, o espere un poco.",
    too_many_tries:
      "Se han hecho demasiados intentos con este pedido. Vuelva al lugar donde eligió los artículos y empiece de nuevo.",
    too_many_reviews:
      "La tienda tiene demasiados pedidos pendientes de revisión. Inténtelo más tarde.",
    unavailable:
      "No es posible realizar el pedido en este momento. No se ha cobrado nada. Inténtelo de nuevo en unos minutos.",
  },

  state: {
    paused: {
      heading: "La tienda ha suspendido temporalmente las ventas",
      text: "No se ha cobrado nada. Guarde esta página e inténtelo más tarde.",
    },
    closed: {
      heading: "Ahora no es posible pagar aquí",
      text: "La tienda no acepta pedidos en esta página en este momento. No se ha cobrado nada. Puede hacer el pedido directamente en la tienda.",
    },
    refused: {
      heading: "La tienda no acepta este pedido",
      text: "No se ha cobrado nada. Puede hacer el pedido directamente en la tienda.",
    },
    ended: {
      heading: "Este pedido ya no está activo",
      text: "Se ha cancelado o ha caducado. No se ha cobrado nada.",
    },
    review: {
      heading: "La tienda está revisando este pedido",
      text: "La tienda debe aprobarlo primero. No se ha cobrado nada. Esta página se actualiza automáticamente.",
      act: "Pagar ahora",
    },
    opening: {
      heading: "Un momento",
      text: "Se está abriendo la página de pago. Esta página se actualiza automáticamente.",
    },
    page: {
      heading: "Complete el pago",
      text: "Los artículos están reservados para usted hasta las {time}.",
      act: "Continuar con el pago",
      cancel: "Modificar el pedido",
    },
    elsewhere: {
      heading: "Este pedido se está pagando en otro navegador",
      text: "Complete el pago allí. Si empieza de nuevo aquí, el otro pago se cancelará.",
      cancel: "Empezar de nuevo aquí",
    },
    bank: {
      heading: "Su banco solicita confirmación",
      text: "Confirme este pago con su banco. Después volverá a esta página.",
      act: "Continuar a su banco",
    },
    confirming: {
      heading: "Un momento",
      text: "Se está confirmando su pago. Esta página se actualiza automáticamente.",
    },
  },

  placed: {
    thanks: "Gracias por su pedido",
    authorized: "La tienda ha recibido su pedido. Se le cobrará cuando la tienda lo prepare.",
    captured: "La tienda ha recibido su pedido y el pago.",
    shipped: "Su pedido está en camino",
    shippedAll: "Se han enviado todos los artículos.",
    partlyShipped: "Una parte de su pedido está en camino",
    restFollows: "El resto se enviará más adelante.",
    arrived: "Su pedido ha llegado",
    arrivedAll: "Se han entregado todos los artículos.",
    cancelled: "Este pedido se ha cancelado",
    nothingTaken: "No se le cobrará nada.",
    givenBack: "La tienda ya había cobrado el importe y procede a reembolsarlo.",
    history: "Historial",
    track: "Seguir el envío",
  },

  event: {
    processing: "En preparación",
    shipped: "Enviado",
    in_transit: "En camino",
    delivered: "Entregado",
    failed_attempt: "No se ha podido entregar; se volverá a intentar",
    undeliverable: "No se ha podido entregar",
    returned_to_sender: "Devuelto a la tienda",
    cancelled: "Cancelado",
    refundPending: "Reembolso de {amount}: en curso",
    refundCompleted: "Reembolso de {amount}: completado",
    refundFailed: "Reembolso de {amount}: fallido",
    onePiece: "1 artículo",
    pieces: "{count} artículos",
  },

  cart: {
    heading: "Su carrito",
    text: "El envío y los impuestos se añaden en el siguiente paso.",
    ended: "Este carrito ya no existe",
    endedText: "Se ha cancelado o ha caducado.",
  },

  sandbox: {
    heading: "Pago de prueba",
    text: "Esta es la página de pago del entorno de pruebas. No se cobra nada.",
    pay: "Pagar {amount} con una tarjeta de prueba",
    decline: "Usar una tarjeta rechazada",
    challenge: "Usar una tarjeta que el banco debe confirmar",
    back: "Volver al pedido",
    declined: "La tarjeta ha sido rechazada. Utilice otra.",
    ended: "Este pago ha finalizado.",
    bankHeading: "¿Pagar {amount}?",
    bankText: "Este es el banco del entorno de pruebas. No se cobra nada.",
    confirm: "Confirmar",
    refuse: "Rechazar",
    answered: "Ya ha respondido.",
  },
};
