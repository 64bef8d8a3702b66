import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in Italian. */
export const it: BuyerWords = {
  reviewed: false,

  order: {
    heading: "Il Suo ordine",
    items: "Articoli",
    soldOut: "esaurito",
    unavailable: "non disponibile",
    cancelledPieces: "{count} annullato/i",
    subtotal: "Subtotale",
    discount: "Sconto",
    delivery: "Spedizione",
    tax: "Imposte",
    total: "Totale",
    refunded: "Rimborsato",
    number: "Ordine {id}",
    deliverTo: "Luogo di consegna: {place}",
    test: "Modalità di prova: non viene addebitato né spedito nulla.",
  },

  form: {
    contact: "Contatti",
    email: "Indirizzo e-mail",
    address: "Indirizzo di consegna",
    firstName: "Nome",
    lastName: "Cognome",
    street: "Via e numero civico",
    extended: "Interno o piano (facoltativo)",
    postalCode: "CAP",
    city: "Città",
    region: "Provincia, stato o regione (facoltativo)",
    country: "Paese",
    chooseCountry: "Selezioni un Paese",
    phone: "Numero di telefono (facoltativo)",
    method: "Metodo di spedizione",
    oneDay: "1 giorno",
    days: "{count} giorni",
    fromToDays: "{from}-{to} giorni",
    proceed: "Continua",
    update: "Aggiorna l’ordine",
    pay: "Ordine con obbligo di pagare",
    payNext:
      "Il pagamento avviene nella pagina successiva, tramite il fornitore di servizi di pagamento del negozio.",
    agree: "Effettuando l’ordine, accetta i {terms}.",
    terms: "termini e condizioni del negozio",
    links: {
      terms_of_service: "Termini e condizioni",
      privacy_policy: "Informativa sulla privacy",
      refund_policy: "Resi e rimborsi",
      shipping_policy: "Informazioni sulla spedizione",
      faq: "Domande frequenti",
    },
  },

  missing: {
    email: "Inserisca il Suo indirizzo e-mail.",
    address: "Completi l’indirizzo di consegna.",
    option: "Selezioni un metodo di spedizione.",
    deliverable: "Il negozio non consegna a questo indirizzo. Ne indichi un altro.",
    payable: "L’importo di questo ordine è troppo elevato per un unico pagamento.",
    shop: "Il sistema del negozio non risponde al momento. Riprovi tra un minuto.",
    taxes:
      "Selezioni un Paese e, se previsti, una provincia, uno stato o una regione, per poter calcolare le imposte.",
    lines:
      "Alcuni articoli al momento non sono acquistabili. Torni dove li ha scelti e modifichi l’ordine.",
  },

  notice: {
    changed:
      "Qualcosa è cambiato da quando ha aperto questa pagina. Controlli l’ordine prima di continuare.",
    payment_failed:
      "Il pagamento non è stato completato e non è stato addebitato nulla. Può riprovare.",
    out_of_stock: "Un articolo si è esaurito prima del pagamento. Non è stato addebitato nulla.",
    sales_paused:
      "Il negozio ha sospeso le vendite. Non è stato addebitato nulla. Riprovi più tardi.",
    review_expired: "Il negozio non ha esaminato l’ordine in tempo. Può riprovare.",
    review_invalidated:
      "L’ordine è cambiato prima che il negozio potesse esaminarlo. Può riprovare.",
    too_many_open:
      "Ci sono troppi pagamenti in corso dalla Sua rete. Ne completi o ne annulli uno, oppure attenda un po’.",
    too_many_tries:
      "Sono stati effettuati troppi tentativi per questo ordine. Torni dove ha scelto gli articoli e ricominci.",
    too_many_reviews: "Il negozio ha troppi ordini in attesa di verifica. Riprovi più tardi.",
    unavailable:
      "Al momento non è possibile effettuare l’ordine. Non è stato addebitato nulla. Riprovi tra qualche minuto.",
  },

  state: {
    paused: {
      heading: "Il negozio ha sospeso le vendite",
      text: "Non è stato addebitato nulla. Salvi questa pagina e riprovi più tardi.",
    },
    closed: {
      heading: "Al momento non è possibile pagare qui",
      text: "Il negozio al momento non accetta ordini su questa pagina. Non è stato addebitato nulla. Può ordinare direttamente dal negozio.",
    },
    refused: {
      heading: "Il negozio non accetta questo ordine",
      text: "Non è stato addebitato nulla. Può ordinare direttamente dal negozio.",
    },
    ended: {
      heading: "Questo ordine non è più attivo",
      text: "È stato annullato o è scaduto. Non è stato addebitato nulla.",
    },
    review: {
      heading: "Il negozio sta esaminando questo ordine",
      text: "Il negozio deve prima approvarlo. Non è stato addebitato nulla. Questa pagina si aggiorna automaticamente.",
      act: "Paga ora",
    },
    opening: {
      heading: "Un momento",
      text: "La pagina di pagamento si sta aprendo. Questa pagina si aggiorna automaticamente.",
    },
    page: {
      heading: "Completi il pagamento",
      text: "Gli articoli sono riservati per Lei fino alle {time}.",
      act: "Vai al pagamento",
      cancel: "Modifica l’ordine",
    },
    elsewhere: {
      heading: "Il pagamento di questo ordine è in corso in un altro browser",
      text: "Completi lì il pagamento. Se ricomincia da qui, l’altro pagamento verrà annullato.",
      cancel: "Ricomincia da qui",
    },
    bank: {
      heading: "La Sua banca richiede una conferma",
      text: "Confermi questo pagamento presso la Sua banca. Al termine tornerà a questa pagina.",
      act: "Vai alla banca",
    },
    confirming: {
      heading: "Un momento",
      text: "Il pagamento è in fase di conferma. Questa pagina si aggiorna automaticamente.",
    },
  },

  placed: {
    thanks: "Grazie per il Suo ordine",
    authorized:
      "Il negozio ha ricevuto l’ordine. L’importo verrà addebitato quando il negozio lo elaborerà.",
    captured: "Il negozio ha ricevuto l’ordine e il pagamento.",
    shipped: "Il Suo ordine è in viaggio",
    shippedAll: "Tutti gli articoli sono stati spediti.",
    partlyShipped: "Una parte del Suo ordine è in viaggio",
    restFollows: "Il resto seguirà.",
    arrived: "Il Suo ordine è arrivato",
    arrivedAll: "Tutti gli articoli sono stati consegnati.",
    cancelled: "Questo ordine è stato annullato",
    nothingTaken: "Non Le verrà addebitato nulla.",
    givenBack: "Il negozio aveva già incassato il pagamento e provvede al rimborso.",
    history: "Cronologia",
    track: "Traccia la spedizione",
  },

  event: {
    processing: "In preparazione",
    shipped: "Spedito",
    in_transit: "In viaggio",
    delivered: "Consegnato",
    failed_attempt: "Consegna non riuscita, seguirà un nuovo tentativo",
    undeliverable: "Consegna impossibile",
    returned_to_sender: "Restituito al negozio",
    cancelled: "Annullato",
    refundPending: "Rimborso di {amount}: in corso",
    refundCompleted: "Rimborso di {amount}: effettuato",
    refundFailed: "Rimborso di {amount}: non riuscito",
    onePiece: "1 articolo",
    pieces: "{count} articoli",
  },

  cart: {
    heading: "Il Suo carrello",
    text: "Spedizione e imposte vengono aggiunte nel passaggio successivo.",
    ended: "Questo carrello non esiste più",
    endedText: "È stato annullato o è scaduto.",
  },

  sandbox: {
    heading: "Pagamento di prova",
    text: "Questa è la pagina di pagamento dell’ambiente di prova. Non viene addebitato nulla.",
    pay: "Paga {amount} con una carta di prova",
    decline: "Usa una carta che viene rifiutata",
    challenge: "Usa una carta che richiede la conferma della banca",
    back: "Torna all’ordine",
    declined: "La carta è stata rifiutata. Ne usi un’altra.",
    ended: "Questo pagamento è terminato.",
    bankHeading: "Pagare {amount}?",
    bankText: "Questa è la banca dell’ambiente di prova. Non viene addebitato nulla.",
    confirm: "Conferma",
    refuse: "Rifiuta",
    answered: "Ha già risposto.",
  },
};
