import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in German. */
export const de: BuyerWords = {
  reviewed: false,

  order: {
    heading: "Ihre Bestellung",
    items: "Artikel",
    soldOut: "ausverkauft",
    unavailable: "nicht verfügbar",
    cancelledPieces: "{count} storniert",
    subtotal: "Zwischensumme",
    discount: "Rabatt",
    delivery: "Versand",
    tax: "Steuern",
    total: "Gesamtsumme",
    refunded: "Erstattet",
    number: "Bestellung {id}",
    deliverTo: "Lieferort: {place}",
    test: "Testmodus: Es fließt kein Geld und es wird nichts verschickt.",
  },

  form: {
    contact: "Kontakt",
    email: "E-Mail-Adresse",
    address: "Lieferadresse",
    firstName: "Vorname",
    lastName: "Nachname",
    street: "Straße und Hausnummer",
    extended: "Wohnung oder Etage (optional)",
    postalCode: "Postleitzahl",
    city: "Ort",
    region: "Bundesland oder Region (optional)",
    country: "Land",
    chooseCountry: "Land auswählen",
    phone: "Telefonnummer (optional)",
    method: "Versandart",
    oneDay: "1 Tag",
    days: "{count} Tage",
    fromToDays: "{from} bis {to} Tage",
    proceed: "Weiter",
    update: "Bestellung aktualisieren",
    pay: "Zahlungspflichtig bestellen",
    payNext: "Sie bezahlen auf der nächsten Seite beim Zahlungsanbieter des Shops.",
    agree: "Mit der Bestellung akzeptieren Sie die {terms}.",
    terms: "AGB des Shops",
    links: {
      terms_of_service: "AGB",
      privacy_policy: "Datenschutzerklärung",
      refund_policy: "Rückgabe und Erstattung",
      shipping_policy: "Versandbedingungen",
      faq: "Fragen und Antworten",
    },
  },

  missing: {
    email: "Geben Sie Ihre E-Mail-Adresse ein.",
    address: "Vervollständigen Sie die Lieferadresse.",
    option: "Wählen Sie eine Versandart.",
    deliverable: "Der Shop liefert nicht an diese Adresse. Wählen Sie eine andere.",
    payable: "Der Betrag dieser Bestellung ist zu hoch für eine einzelne Zahlung.",
    shop: "Das System des Shops antwortet gerade nicht. Versuchen Sie es in einer Minute noch einmal.",
    taxes:
      "Wählen Sie ein Land und, falls vorhanden, ein Bundesland oder eine Region, damit die Steuern berechnet werden können.",
    lines:
      "Einige Artikel sind derzeit nicht erhältlich. Kehren Sie dorthin zurück, wo Sie sie ausgewählt haben, und ändern Sie die Bestellung.",
  },

  notice: {
    changed:
      "Seit Sie diese Seite geöffnet haben, hat sich etwas geändert. Prüfen Sie die Bestellung und fahren Sie dann fort.",
    payment_failed:
      "Die Zahlung wurde nicht abgeschlossen, es wurde nichts abgebucht. Sie können es erneut versuchen.",
    out_of_stock: "Ein Artikel war ausverkauft, bevor er bezahlt wurde. Es wurde nichts abgebucht.",
    sales_paused:
      "Der Shop hat den Verkauf vorübergehend unterbrochen. Es wurde nichts abgebucht. Versuchen Sie es später erneut.",
    review_expired:
      "Der Shop hat die Bestellung nicht rechtzeitig geprüft. Sie können es erneut versuchen.",
    review_invalidated:
      "Die Bestellung hat sich geändert, bevor der Shop sie prüfen konnte. Sie können es erneut versuchen.",
    too_many_open:
      "In Ihrem Netzwerk sind zu viele Zahlungen offen. Schließen Sie eine davon ab, brechen Sie eine ab oder warten Sie etwas.",
    too_many_tries:
      "Für diese Bestellung gab es zu viele Versuche. Kehren Sie dorthin zurück, wo Sie die Artikel ausgewählt haben, und beginnen Sie von vorn.",
    too_many_reviews:
      "Beim Shop warten zu viele Bestellungen auf Prüfung. Versuchen Sie es später erneut.",
    unavailable:
      "Die Bestellung ist im Moment nicht möglich. Es wurde nichts abgebucht. Versuchen Sie es in ein paar Minuten erneut.",
  },

  state: {
    paused: {
      heading: "Der Shop hat den Verkauf vorübergehend unterbrochen",
      text: "Es wurde nichts abgebucht. Merken Sie sich diese Seite und versuchen Sie es später erneut.",
    },
    closed: {
      heading: "Sie können hier derzeit nicht bezahlen",
      text: "Der Shop nimmt auf dieser Seite im Moment keine Bestellungen an. Es wurde nichts abgebucht. Sie können direkt im Shop bestellen.",
    },
    refused: {
      heading: "Der Shop nimmt diese Bestellung nicht an",
      text: "Es wurde nichts abgebucht. Sie können direkt im Shop bestellen.",
    },
    ended: {
      heading: "Diese Bestellung ist nicht mehr offen",
      text: "Sie wurde storniert oder ist abgelaufen. Es wurde nichts abgebucht.",
    },
    review: {
      heading: "Der Shop prüft diese Bestellung",
      text: "Der Shop muss sie zuerst freigeben. Es wurde nichts abgebucht. Diese Seite aktualisiert sich automatisch.",
      act: "Jetzt bezahlen",
    },
    opening: {
      heading: "Einen Moment bitte",
      text: "Die Zahlungsseite wird geöffnet. Diese Seite aktualisiert sich automatisch.",
    },
    page: {
      heading: "Schließen Sie Ihre Zahlung ab",
      text: "Die Artikel sind bis {time} für Sie reserviert.",
      act: "Weiter zur Zahlung",
      cancel: "Bestellung ändern",
    },
    elsewhere: {
      heading: "Diese Bestellung wird in einem anderen Browser bezahlt",
      text: "Schließen Sie die Zahlung dort ab. Wenn Sie hier neu beginnen, wird die andere Zahlung abgebrochen.",
      cancel: "Hier neu beginnen",
    },
    bank: {
      heading: "Ihre Bank bittet um Bestätigung",
      text: "Bestätigen Sie diese Zahlung bei Ihrer Bank. Danach kommen Sie auf diese Seite zurück.",
      act: "Weiter zu Ihrer Bank",
    },
    confirming: {
      heading: "Einen Moment bitte",
      text: "Ihre Zahlung wird bestätigt. Diese Seite aktualisiert sich automatisch.",
    },
  },

  placed: {
    thanks: "Vielen Dank für Ihre Bestellung",
    authorized:
      "Der Shop hat Ihre Bestellung erhalten. Ihnen wird der Betrag berechnet, wenn der Shop sie bearbeitet.",
    captured: "Der Shop hat Ihre Bestellung und Ihre Zahlung erhalten.",
    shipped: "Ihre Bestellung ist unterwegs",
    shippedAll: "Alle Artikel wurden verschickt.",
    partlyShipped: "Ein Teil Ihrer Bestellung ist unterwegs",
    restFollows: "Der Rest folgt.",
    arrived: "Ihre Bestellung ist angekommen",
    arrivedAll: "Alle Artikel wurden zugestellt.",
    cancelled: "Diese Bestellung wurde storniert",
    nothingTaken: "Dafür wird nichts abgebucht.",
    givenBack: "Der Shop hatte die Zahlung bereits eingezogen und erstattet sie Ihnen.",
    history: "Verlauf",
    track: "Sendung verfolgen",
  },

  event: {
    processing: "Wird verpackt",
    shipped: "Verschickt",
    in_transit: "Unterwegs",
    delivered: "Zugestellt",
    failed_attempt: "Zustellversuch erfolglos, ein weiterer folgt",
    undeliverable: "Zustellung nicht möglich",
    returned_to_sender: "An den Shop zurückgesandt",
    cancelled: "Storniert",
    refundPending: "Erstattung von {amount}: in Bearbeitung",
    refundCompleted: "Erstattung von {amount}: abgeschlossen",
    refundFailed: "Erstattung von {amount}: fehlgeschlagen",
    onePiece: "1 Artikel",
    pieces: "{count} Artikel",
  },

  cart: {
    heading: "Ihr Warenkorb",
    text: "Versandkosten und Steuern kommen im nächsten Schritt hinzu.",
    ended: "Diesen Warenkorb gibt es nicht mehr",
    endedText: "Er wurde verworfen oder ist abgelaufen.",
  },

  sandbox: {
    heading: "Testzahlung",
    text: "Dies ist die Zahlungsseite der Testumgebung. Es fließt kein Geld.",
    pay: "{amount} mit einer Testkarte bezahlen",
    decline: "Karte verwenden, die abgelehnt wird",
    challenge: "Karte verwenden, die die Bank bestätigen muss",
    back: "Zurück zur Bestellung",
    declined: "Die Karte wurde abgelehnt. Verwenden Sie eine andere.",
    ended: "Diese Zahlung ist beendet.",
    bankHeading: "{amount} bezahlen?",
    bankText: "Dies ist die Bank der Testumgebung. Es fließt kein Geld.",
    confirm: "Bestätigen",
    refuse: "Ablehnen",
    answered: "Sie haben bereits geantwortet.",
  },
};
