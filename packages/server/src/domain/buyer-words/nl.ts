import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in Dutch. */
export const nl: BuyerWords = {
  reviewed: false,

  order: {
    heading: "Uw bestelling",
    items: "Artikelen",
    soldOut: "uitverkocht",
    unavailable: "niet beschikbaar",
    cancelledPieces: "{count} geannuleerd",
    subtotal: "Subtotaal",
    discount: "Korting",
    delivery: "Verzending",
    tax: "Belasting",
    total: "Totaal",
    refunded: "Terugbetaald",
    number: "Bestelling {id}",
    deliverTo: "Bezorging in {place}",
    test: "Testmodus: er wordt niets afgeschreven en niets verzonden.",
  },

  form: {
    contact: "Contactgegevens",
    email: "E-mailadres",
    address: "Bezorgadres",
    firstName: "Voornaam",
    lastName: "Achternaam",
    street: "Straat en huisnummer",
    extended: "Appartement of verdieping (optioneel)",
    postalCode: "Postcode",
    city: "Plaats",
    region: "Provincie, staat of regio (optioneel)",
    country: "Land",
    chooseCountry: "Kies een land",
    phone: "Telefoonnummer (optioneel)",
    method: "Verzendmethode",
    oneDay: "1 dag",
    days: "{count} dagen",
    fromToDays: "{from} tot {to} dagen",
    proceed: "Doorgaan",
    update: "Bestelling bijwerken",
    pay: "Bestelling met betalingsverplichting",
    payNext: "U betaalt op de volgende pagina, bij de betaalprovider van de winkel.",
    agree: "Door te bestellen gaat u akkoord met de {terms}.",
    terms: "algemene voorwaarden van de winkel",
    links: {
      terms_of_service: "Algemene voorwaarden",
      privacy_policy: "Privacybeleid",
      refund_policy: "Retour- en terugbetalingsbeleid",
      shipping_policy: "Verzendbeleid",
      faq: "Veelgestelde vragen",
    },
  },

  missing: {
    email: "Vul uw e-mailadres in.",
    address: "Vul het bezorgadres volledig in.",
    option: "Kies een verzendmethode.",
    deliverable: "De winkel bezorgt niet op dit adres. Kies een ander adres.",
    payable: "Het bedrag van deze bestelling is te hoog om in één keer te betalen.",
    shop: "Het systeem van de winkel reageert nu niet. Probeer het over een minuut opnieuw.",
    taxes:
      "Kies een land en, indien van toepassing, een provincie, staat of regio, zodat de belasting kan worden berekend.",
    lines:
      "Sommige artikelen zijn nu niet te koop. Ga terug naar waar u ze hebt gekozen en pas de bestelling aan.",
  },

  notice: {
    changed:
      "Er is iets gewijzigd sinds u deze pagina opende. Controleer de bestelling en ga dan verder.",
    payment_failed:
      "De betaling is niet voltooid en er is niets afgeschreven. U kunt het opnieuw proberen.",
    out_of_stock: "Een artikel was uitverkocht voordat het was betaald. Er is niets afgeschreven.",
    sales_paused:
      "De winkel heeft de verkoop tijdelijk stopgezet. Er is niets afgeschreven. Probeer het later opnieuw.",
    review_expired:
      "De winkel heeft de bestelling niet op tijd beoordeeld. U kunt het opnieuw proberen.",
    review_invalidated:
      "De bestelling is gewijzigd voordat de winkel deze kon beoordelen. U kunt het opnieuw proberen.",
    too_many_open:
      "Er staan te veel betalingen open vanaf uw netwerk. Rond er een af, annuleer er een of wacht even.",
    too_many_tries:
      "Er zijn te veel pogingen gedaan voor deze bestelling. Ga terug naar waar u de artikelen hebt gekozen en begin opnieuw.",
    too_many_reviews:
      "Er wachten te veel bestellingen op beoordeling door de winkel. Probeer het later opnieuw.",
    unavailable:
      "U kunt de bestelling nu niet plaatsen. Er is niets afgeschreven. Probeer het over een paar minuten opnieuw.",
  },

  state: {
    paused: {
      heading: "De winkel heeft de verkoop tijdelijk stopgezet",
      text: "Er is niets afgeschreven. Bewaar deze pagina en probeer het later opnieuw.",
    },
    closed: {
      heading: "U kunt hier nu niet betalen",
      text: "De winkel neemt op deze pagina momenteel geen bestellingen aan. Er is niets afgeschreven. U kunt rechtstreeks bij de winkel bestellen.",
    },
    refused: {
      heading: "De winkel accepteert deze bestelling niet",
      text: "Er is niets afgeschreven. U kunt rechtstreeks bij de winkel bestellen.",
    },
    ended: {
      heading: "Deze bestelling staat niet meer open",
      text: "De bestelling is geannuleerd of verlopen. Er is niets afgeschreven.",
    },
    review: {
      heading: "De winkel beoordeelt deze bestelling",
      text: "De winkel moet de bestelling eerst goedkeuren. Er is niets afgeschreven. Deze pagina wordt automatisch bijgewerkt.",
      act: "Nu betalen",
    },
    opening: {
      heading: "Een ogenblik geduld",
      text: "De betaalpagina wordt geopend. Deze pagina wordt automatisch bijgewerkt.",
    },
    page: {
      heading: "Rond uw betaling af",
      text: "De artikelen zijn tot {time} voor u gereserveerd.",
      act: "Verder naar betalen",
      cancel: "Bestelling wijzigen",
    },
    elsewhere: {
      heading: "Deze bestelling wordt in een andere browser betaald",
      text: "Rond de betaling daar af. Als u hier opnieuw begint, wordt de andere betaling afgebroken.",
      cancel: "Hier opnieuw beginnen",
    },
    bank: {
      heading: "Uw bank vraagt om bevestiging",
      text: "Bevestig deze betaling bij uw bank. Daarna keert u terug naar deze pagina.",
      act: "Verder naar uw bank",
    },
    confirming: {
      heading: "Een ogenblik geduld",
      text: "Uw betaling wordt bevestigd. Deze pagina wordt automatisch bijgewerkt.",
    },
  },

  placed: {
    thanks: "Bedankt voor uw bestelling",
    authorized:
      "De winkel heeft uw bestelling ontvangen. Het bedrag wordt afgeschreven wanneer de winkel de bestelling verwerkt.",
    captured: "De winkel heeft uw bestelling en uw betaling ontvangen.",
    shipped: "Uw bestelling is onderweg",
    shippedAll: "Alle artikelen zijn verzonden.",
    partlyShipped: "Een deel van uw bestelling is onderweg",
    restFollows: "De rest volgt nog.",
    arrived: "Uw bestelling is aangekomen",
    arrivedAll: "Alle artikelen zijn bezorgd.",
    cancelled: "Deze bestelling is geannuleerd",
    nothingTaken: "Er wordt niets afgeschreven.",
    givenBack: "De winkel had de betaling al geïnd en betaalt deze terug.",
    history: "Verloop",
    track: "Volg uw pakket",
  },

  event: {
    processing: "Wordt ingepakt",
    shipped: "Verzonden",
    in_transit: "Onderweg",
    delivered: "Bezorgd",
    failed_attempt: "Bezorging mislukt; er volgt een nieuwe poging",
    undeliverable: "Kon niet worden bezorgd",
    returned_to_sender: "Teruggestuurd naar de winkel",
    cancelled: "Geannuleerd",
    refundPending: "Terugbetaling van {amount}: in behandeling",
    refundCompleted: "Terugbetaling van {amount}: voltooid",
    refundFailed: "Terugbetaling van {amount}: mislukt",
    onePiece: "1 artikel",
    pieces: "{count} artikelen",
  },

  cart: {
    heading: "Uw winkelwagen",
    text: "Verzendkosten en belasting worden in de volgende stap toegevoegd.",
    ended: "Deze winkelwagen bestaat niet meer",
    endedText: "De winkelwagen is geannuleerd of verlopen.",
  },

  sandbox: {
    heading: "Testbetaling",
    text: "Dit is de betaalpagina van de testomgeving. Er wordt niets afgeschreven.",
    pay: "{amount} betalen met een testkaart",
    decline: "Een kaart gebruiken die wordt geweigerd",
    challenge: "Een kaart gebruiken die de bank moet bevestigen",
    back: "Terug naar de bestelling",
    declined: "De kaart is geweigerd. Gebruik een andere.",
    ended: "Deze betaling is beëindigd.",
    bankHeading: "{amount} betalen?",
    bankText: "Dit is de bank van de testomgeving. Er wordt niets afgeschreven.",
    confirm: "Bevestigen",
    refuse: "Weigeren",
    answered: "U hebt al geantwoord.",
  },
};
