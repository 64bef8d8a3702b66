import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in Portuguese. */
export const pt: BuyerWords = {
  reviewed: false,

  order: {
    heading: "A sua encomenda",
    items: "Artigos",
    soldOut: "esgotado",
    unavailable: "indisponível",
    cancelledPieces: "{count} cancelado(s)",
    subtotal: "Subtotal",
    discount: "Desconto",
    delivery: "Entrega",
    tax: "Impostos",
    total: "Total",
    refunded: "Reembolsado",
    number: "Encomenda {id}",
    deliverTo: "Local de entrega: {place}",
    test: "Modo de teste: nada é cobrado e nada é enviado.",
  },

  form: {
    contact: "Os seus dados",
    email: "E-mail",
    address: "Endereço de entrega",
    firstName: "Primeiro nome",
    lastName: "Último nome",
    street: "Rua e número",
    extended: "Apartamento ou andar (opcional)",
    postalCode: "Código postal",
    city: "Cidade",
    region: "Estado ou região (opcional)",
    country: "País",
    chooseCountry: "Escolha um país",
    phone: "Telefone (opcional)",
    method: "Método de entrega",
    oneDay: "1 dia",
    days: "{count} dias",
    fromToDays: "{from} a {to} dias",
    proceed: "Continuar",
    update: "Atualizar a encomenda",
    pay: "Encomenda com obrigação de pagar",
    payNext:
      "O pagamento é feito na página seguinte, através do prestador de serviços de pagamento da loja.",
    agree: "Ao fazer a encomenda, aceita os {terms}.",
    terms: "termos e condições da loja",
    links: {
      terms_of_service: "Termos e condições",
      privacy_policy: "Política de privacidade",
      refund_policy: "Política de reembolso",
      shipping_policy: "Política de envio",
      faq: "Perguntas frequentes",
    },
  },

  missing: {
    email: "Indique o seu e-mail.",
    address: "Preencha o endereço de entrega completo.",
    option: "Escolha um método de entrega.",
    deliverable: "A loja não faz entregas nesse endereço. Escolha outro.",
    payable: "O valor desta encomenda é demasiado alto para um único pagamento.",
    shop: "O sistema da loja não está respondendo agora. Tente novamente em um minuto.",
    taxes:
      "Escolha um país e, se for o caso, um estado ou região, para que os impostos possam ser calculados.",
    lines:
      "Alguns artigos não podem ser comprados neste momento. Volte ao local onde os escolheu e altere a encomenda.",
  },

  notice: {
    changed: "Algo mudou desde que abriu esta página. Confira a encomenda antes de continuar.",
    payment_failed: "O pagamento não foi concluído e nada foi cobrado. Pode tentar novamente.",
    out_of_stock: "Um artigo esgotou antes de ser pago. Nada foi cobrado.",
    sales_paused:
      "A loja suspendeu temporariamente as vendas. Nada foi cobrado. Tente novamente mais tarde.",
    review_expired: "A loja não analisou a encomenda a tempo. Pode tentar novamente.",
    review_invalidated:
      "A encomenda mudou antes de a loja poder analisá-la. Pode tentar novamente.",
    too_many_open:
      "Há demasiados pagamentos em aberto a partir da sua rede. Conclua ou cancele um deles, ou aguarde um pouco.",
    too_many_tries:
      "Foram feitas demasiadas tentativas com esta encomenda. Volte ao local onde escolheu os artigos e comece de novo.",
    too_many_reviews: "A loja tem demasiadas encomendas em análise. Tente novamente mais tarde.",
    unavailable:
      "Não é possível fazer a encomenda neste momento. Nada foi cobrado. Tente novamente dentro de alguns minutos.",
  },

  state: {
    paused: {
      heading: "A loja suspendeu temporariamente as vendas",
      text: "Nada foi cobrado. Guarde esta página e tente novamente mais tarde.",
    },
    closed: {
      heading: "Não é possível pagar aqui neste momento",
      text: "Neste momento, a loja não aceita encomendas nesta página. Nada foi cobrado. Pode encomendar diretamente na loja.",
    },
    refused: {
      heading: "A loja não aceita esta encomenda",
      text: "Nada foi cobrado. Pode encomendar diretamente na loja.",
    },
    ended: {
      heading: "Esta encomenda já não está ativa",
      text: "Foi cancelada ou expirou. Nada foi cobrado.",
    },
    review: {
      heading: "Encomenda em análise pela loja",
      text: "É necessária a aprovação da loja. Nada foi cobrado. Esta página é atualizada automaticamente.",
      act: "Pagar agora",
    },
    opening: {
      heading: "Um momento",
      text: "A página de pagamento está prestes a abrir. Esta página é atualizada automaticamente.",
    },
    page: {
      heading: "Conclua o pagamento",
      text: "Os seus artigos estão reservados até às {time}.",
      act: "Continuar para o pagamento",
      cancel: "Alterar a encomenda",
    },
    elsewhere: {
      heading: "O pagamento desta encomenda está em curso em outro navegador",
      text: "Conclua o pagamento nesse navegador. Se recomeçar aqui, o outro pagamento será cancelado.",
      cancel: "Recomeçar aqui",
    },
    bank: {
      heading: "O seu banco pede uma confirmação",
      text: "Confirme este pagamento no seu banco. Depois, voltará a esta página.",
      act: "Continuar para o banco",
    },
    confirming: {
      heading: "Um momento",
      text: "O seu pagamento aguarda confirmação. Esta página é atualizada automaticamente.",
    },
  },

  placed: {
    thanks: "Obrigado pela sua encomenda",
    authorized: "A loja recebeu a sua encomenda. O valor será cobrado quando a loja a processar.",
    captured: "A loja recebeu a sua encomenda e o pagamento.",
    shipped: "A sua encomenda está a caminho",
    shippedAll: "Todos os artigos foram enviados.",
    partlyShipped: "Parte da sua encomenda está a caminho",
    restFollows: "O restante seguirá depois.",
    arrived: "A sua encomenda chegou",
    arrivedAll: "Todos os artigos foram entregues.",
    cancelled: "Esta encomenda foi cancelada",
    nothingTaken: "Nada será cobrado.",
    givenBack: "A loja já tinha recebido o pagamento e procede ao reembolso.",
    history: "Histórico",
    track: "Acompanhar a entrega",
  },

  event: {
    processing: "Em preparação",
    shipped: "Enviado",
    in_transit: "A caminho",
    delivered: "Entregue",
    failed_attempt: "Não foi possível entregar; haverá nova tentativa",
    undeliverable: "Não foi possível entregar",
    returned_to_sender: "Devolvido à loja",
    cancelled: "Cancelado",
    refundPending: "Reembolso de {amount}: em curso",
    refundCompleted: "Reembolso de {amount}: concluído",
    refundFailed: "Reembolso de {amount}: falhou",
    onePiece: "1 artigo",
    pieces: "{count} artigos",
  },

  cart: {
    heading: "O seu carrinho",
    text: "A entrega e os impostos são adicionados no próximo passo.",
    ended: "Este carrinho já não existe",
    endedText: "Foi cancelado ou expirou.",
  },

  sandbox: {
    heading: "Pagamento de teste",
    text: "Esta é a página de pagamento do ambiente de testes. Nada é cobrado.",
    pay: "Pagar {amount} com um cartão de teste",
    decline: "Usar um cartão que é recusado",
    challenge: "Usar um cartão que o banco tem de confirmar",
    back: "Voltar à encomenda",
    declined: "O cartão foi recusado. Use outro.",
    ended: "Este pagamento terminou.",
    bankHeading: "Pagar {amount}?",
    bankText: "Este é o banco do ambiente de testes. Nada é cobrado.",
    confirm: "Confirmar",
    refuse: "Recusar",
    answered: "Já respondeu.",
  },
};
