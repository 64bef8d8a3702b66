import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in French. */
export const fr: BuyerWords = {
  reviewed: false,

  order: {
    heading: "Votre commande",
    items: "Articles",
    soldOut: "épuisé",
    unavailable: "indisponible",
    cancelledPieces: "{count} annulé(s)",
    subtotal: "Sous-total",
    discount: "Remise",
    delivery: "Livraison",
    tax: "Taxes",
    total: "Total",
    refunded: "Remboursé",
    number: "Commande {id}",
    deliverTo: "Lieu de livraison\u00a0: {place}",
    test: "Mode test\u00a0: aucun paiement n’est effectué et rien n’est expédié.",
  },

  form: {
    contact: "Coordonnées",
    email: "Adresse e-mail",
    address: "Adresse de livraison",
    firstName: "Prénom",
    lastName: "Nom",
    street: "Numéro et rue",
    extended: "Appartement ou étage (facultatif)",
    postalCode: "Code postal",
    city: "Ville",
    region: "État ou région (facultatif)",
    country: "Pays",
    chooseCountry: "Choisissez un pays",
    phone: "Numéro de téléphone (facultatif)",
    method: "Mode de livraison",
    oneDay: "1 jour",
    days: "{count} jours",
    fromToDays: "{from} à {to} jours",
    proceed: "Continuer",
    update: "Mettre à jour la commande",
    pay: "Commande avec obligation de paiement",
    payNext: "Vous réglez à la page suivante, auprès du prestataire de paiement de la boutique.",
    agree: "En passant commande, vous acceptez les {terms}.",
    terms: "conditions générales de la boutique",
    links: {
      terms_of_service: "Conditions générales",
      privacy_policy: "Politique de confidentialité",
      refund_policy: "Politique de remboursement",
      shipping_policy: "Politique de livraison",
      faq: "Questions fréquentes",
    },
  },

  missing: {
    email: "Saisissez votre adresse e-mail.",
    address: "Complétez l’adresse de livraison.",
    option: "Choisissez un mode de livraison.",
    deliverable: "La boutique ne livre pas à cette adresse. Choisissez-en une autre.",
    payable: "Le montant de cette commande est trop élevé pour un seul paiement.",
    shop: "Le système de la boutique ne répond pas pour le moment. Réessayez dans une minute.",
    taxes:
      "Choisissez un pays et, le cas échéant, un État ou une région, afin que les taxes puissent être calculées.",
    lines:
      "Certains articles ne peuvent pas être achetés pour le moment. Retournez là où vous les avez choisis et modifiez la commande.",
  },

  notice: {
    changed:
      "Des informations ont changé depuis que vous avez ouvert cette page. Vérifiez la commande avant de continuer.",
    payment_failed: "Le paiement n’a pas abouti et rien n’a été débité. Vous pouvez réessayer.",
    out_of_stock: "Un article était épuisé avant la fin du paiement. Rien n’a été débité.",
    sales_paused: "La boutique a suspendu ses ventes. Rien n’a été débité. Réessayez plus tard.",
    review_expired: "La boutique n’a pas examiné la commande à temps. Vous pouvez réessayer.",
    review_invalidated:
      "La commande a changé avant que la boutique ait pu l’examiner. Vous pouvez réessayer.",
    too_many_open:
      "Trop de paiements sont en cours depuis votre réseau. Terminez ou annulez l’un d’eux, ou patientez un peu.",
    too_many_tries:
      "Trop de tentatives ont été faites pour cette commande. Retournez là où vous avez choisi les articles et recommencez.",
    too_many_reviews:
      "Trop de commandes sont en attente auprès de la boutique. Réessayez plus tard.",
    unavailable:
      "Impossible de passer la commande pour le moment. Rien n’a été débité. Réessayez dans quelques minutes.",
  },

  state: {
    paused: {
      heading: "La boutique a suspendu ses ventes",
      text: "Rien n’a été débité. Conservez cette page et réessayez plus tard.",
    },
    closed: {
      heading: "Vous ne pouvez pas payer ici pour le moment",
      text: "La boutique ne prend actuellement pas de commandes sur cette page. Rien n’a été débité. Vous pouvez commander directement auprès de la boutique.",
    },
    refused: {
      heading: "La boutique n’accepte pas cette commande",
      text: "Rien n’a été débité. Vous pouvez commander directement auprès de la boutique.",
    },
    ended: {
      heading: "Cette commande n’est plus active",
      text: "Elle a été annulée ou a expiré. Rien n’a été débité.",
    },
    review: {
      heading: "La boutique examine cette commande",
      text: "La boutique doit d’abord l’approuver. Rien n’a été débité. Cette page s’actualise automatiquement.",
      act: "Payer maintenant",
    },
    opening: {
      heading: "Un instant",
      text: "La page de paiement est en cours d’ouverture. Cette page s’actualise automatiquement.",
    },
    page: {
      heading: "Finalisez votre paiement",
      text: "Les articles vous sont réservés jusqu’à {time}.",
      act: "Continuer vers le paiement",
      cancel: "Modifier la commande",
    },
    elsewhere: {
      heading: "Le paiement de cette commande est en cours dans un autre navigateur",
      text: "Finalisez le paiement dans cet autre navigateur. Si vous recommencez ici, l’autre paiement sera interrompu.",
      cancel: "Recommencer ici",
    },
    bank: {
      heading: "Votre banque demande une confirmation",
      text: "Confirmez ce paiement auprès de votre banque. Vous reviendrez ensuite sur cette page.",
      act: "Continuer vers votre banque",
    },
    confirming: {
      heading: "Un instant",
      text: "Votre paiement est en cours de confirmation. Cette page s’actualise automatiquement.",
    },
  },

  placed: {
    thanks: "Merci pour votre commande",
    authorized:
      "La boutique a reçu votre commande. Vous serez débité lorsque la boutique la traitera.",
    captured: "La boutique a reçu votre commande et votre paiement.",
    shipped: "Votre commande est en route",
    shippedAll: "Tous les articles ont été expédiés.",
    partlyShipped: "Une partie de votre commande est en route",
    restFollows: "Le reste suivra.",
    arrived: "Votre commande est arrivée",
    arrivedAll: "Tous les articles ont été livrés.",
    cancelled: "Cette commande a été annulée",
    nothingTaken: "Rien ne vous sera débité.",
    givenBack: "La boutique avait déjà encaissé le paiement et vous le rembourse.",
    history: "Historique",
    track: "Suivre le colis",
  },

  event: {
    processing: "En cours de préparation",
    shipped: "Expédié",
    in_transit: "En route",
    delivered: "Livré",
    failed_attempt: "Livraison non effectuée, une nouvelle tentative aura lieu",
    undeliverable: "Livraison impossible",
    returned_to_sender: "Retourné à la boutique",
    cancelled: "Annulé",
    refundPending: "Remboursement de {amount} en cours",
    refundCompleted: "Remboursement de {amount} effectué",
    refundFailed: "Échec du remboursement de {amount}",
    onePiece: "1 article",
    pieces: "{count} articles",
  },

  cart: {
    heading: "Votre panier",
    text: "La livraison et les taxes seront ajoutées à l’étape suivante.",
    ended: "Ce panier n’existe plus",
    endedText: "Il a été annulé ou a expiré.",
  },

  sandbox: {
    heading: "Paiement test",
    text: "Ceci est la page de paiement de l’environnement de test. Aucun paiement n’est effectué.",
    pay: "Payer {amount} avec une carte de test",
    decline: "Utiliser une carte refusée",
    challenge: "Utiliser une carte que la banque doit confirmer",
    back: "Retour à la commande",
    declined: "La carte a été refusée. Utilisez-en une autre.",
    ended: "Ce paiement est terminé.",
    bankHeading: "Payer {amount}\u00a0?",
    bankText: "Ceci est la banque de l’environnement de test. Aucun paiement n’est effectué.",
    confirm: "Confirmer",
    refuse: "Refuser",
    answered: "Vous avez déjà répondu.",
  },
};
