import type { BuyerWords } from "./en.js";

/** The words of the pages for buyers in Japanese. */
export const ja: BuyerWords = {
  reviewed: false,

  order: {
    heading: "ご注文内容",
    items: "商品",
    soldOut: "売り切れ",
    unavailable: "購入不可",
    cancelledPieces: "{count}点キャンセル済み",
    subtotal: "小計",
    discount: "割引",
    delivery: "送料",
    tax: "税金",
    total: "合計",
    refunded: "返金済み",
    number: "注文番号 {id}",
    deliverTo: "お届け先：{place}",
    test: "テストモードです。代金の請求も商品の発送も行われません。",
  },

  form: {
    contact: "連絡先",
    email: "メールアドレス",
    address: "お届け先住所",
    firstName: "名",
    lastName: "姓",
    street: "町名・番地",
    extended: "建物名・部屋番号（任意）",
    postalCode: "郵便番号",
    city: "市区町村",
    region: "都道府県・州（任意）",
    country: "国",
    chooseCountry: "国を選択",
    phone: "電話番号（任意）",
    method: "配送方法",
    oneDay: "1日",
    days: "{count}日",
    fromToDays: "{from}～{to}日",
    proceed: "次へ進む",
    update: "注文内容を更新",
    pay: "注文を確定して支払う",
    payNext: "お支払いは、次のページ（ショップの決済サービス）で行います。",
    agree: "注文を確定すると、{terms}に同意したことになります。",
    terms: "ショップの利用規約",
    links: {
      terms_of_service: "利用規約",
      privacy_policy: "プライバシーポリシー",
      refund_policy: "返金ポリシー",
      shipping_policy: "配送ポリシー",
      faq: "よくある質問",
    },
  },

  missing: {
    email: "メールアドレスを入力してください。",
    address: "お届け先住所をすべて入力してください。",
    option: "配送方法を選択してください。",
    deliverable:
      "このショップでは、ご指定の住所への配送を行っていません。別の住所を指定してください。",
    payable: "ご注文の金額が、一度にお支払いいただける上限を超えています。",
    shop: "ショップのシステムが現在応答していません。1分後にもう一度お試しください。",
    taxes:
      "税金を計算するため、国を選択してください。都道府県や州がある場合は、あわせて指定してください。",
    lines:
      "現在購入できない商品が含まれています。商品を選んだ画面に戻り、注文内容を変更してください。",
  },

  notice: {
    changed: "このページを開いた後に変更がありました。注文内容を確認してから、お進みください。",
    payment_failed:
      "お支払いは完了しておらず、代金は請求されていません。もう一度お試しいただけます。",
    out_of_stock: "お支払いの前に売り切れた商品があります。代金は請求されていません。",
    sales_paused:
      "ショップは現在、販売を一時停止しています。代金は請求されていません。後でもう一度お試しください。",
    review_expired: "ショップによる確認が期限内に行われませんでした。もう一度お試しいただけます。",
    review_invalidated:
      "ショップが確認する前に注文内容が変更されました。もう一度お試しいただけます。",
    too_many_open:
      "お使いのネットワークからの未完了のお支払いが多すぎます。いずれかを完了またはキャンセルするか、しばらくお待ちください。",
    too_many_tries:
      "このご注文の試行回数が上限を超えました。商品を選んだ画面に戻り、最初からやり直してください。",
    too_many_reviews: "ショップの確認待ちの注文が多すぎます。後でもう一度お試しください。",
    unavailable:
      "現在、注文を確定できません。代金は請求されていません。数分後にもう一度お試しください。",
  },

  state: {
    paused: {
      heading: "ショップは販売を一時停止しています",
      text: "代金は請求されていません。このページを保存し、後でもう一度お試しください。",
    },
    closed: {
      heading: "現在、こちらではお支払いいただけません",
      text: "ショップは現在、このページでの注文を受け付けていません。代金は請求されていません。ショップで直接ご注文いただけます。",
    },
    refused: {
      heading: "このご注文はショップでお受けできません",
      text: "代金は請求されていません。ショップで直接ご注文いただけます。",
    },
    ended: {
      heading: "このご注文は無効になりました",
      text: "キャンセルされたか、有効期限が切れています。代金は請求されていません。",
    },
    review: {
      heading: "ショップがご注文を確認しています",
      text: "お手続きにはショップの承認が必要です。代金は請求されていません。このページは自動的に更新されます。",
      act: "今すぐ支払う",
    },
    opening: {
      heading: "少々お待ちください",
      text: "お支払いページを開いています。このページは自動的に更新されます。",
    },
    page: {
      heading: "お支払いを完了してください",
      text: "商品は{time}まで確保されています。",
      act: "お支払いに進む",
      cancel: "注文内容を変更",
    },
    elsewhere: {
      heading: "このご注文は別のブラウザでお支払い手続き中です",
      text: "そちらでお支払いを完了してください。ここでやり直すと、もう一方のお支払いは中止されます。",
      cancel: "ここでやり直す",
    },
    bank: {
      heading: "銀行での確認が必要です",
      text: "ご利用の銀行でこのお支払いを承認してください。承認後、このページに戻ります。",
      act: "銀行のページに進む",
    },
    confirming: {
      heading: "少々お待ちください",
      text: "お支払いを確認しています。このページは自動的に更新されます。",
    },
  },

  placed: {
    thanks: "ご注文ありがとうございます",
    authorized:
      "ショップがご注文を受け付けました。代金は、ショップがご注文を処理するときに請求されます。",
    captured: "ショップがご注文とお支払いを受け付けました。",
    shipped: "ご注文の商品を発送しました",
    shippedAll: "すべての商品が発送されました。",
    partlyShipped: "ご注文の商品の一部を発送しました",
    restFollows: "残りの商品は後日発送されます。",
    arrived: "ご注文の商品が届きました",
    arrivedAll: "すべての商品が配達されました。",
    cancelled: "このご注文はキャンセルされました",
    nothingTaken: "代金は請求されません。",
    givenBack: "お支払い済みの代金は、ショップから返金されます。",
    history: "これまでの状況",
    track: "配送状況を確認",
  },

  event: {
    processing: "梱包中",
    shipped: "発送済み",
    in_transit: "配送中",
    delivered: "配達済み",
    failed_attempt: "配達できませんでした（再配達予定）",
    undeliverable: "配達できませんでした",
    returned_to_sender: "ショップに返送されました",
    cancelled: "キャンセル済み",
    refundPending: "{amount}の返金：手続き中",
    refundCompleted: "{amount}の返金：完了",
    refundFailed: "{amount}の返金：失敗",
    onePiece: "1点",
    pieces: "{count}点",
  },

  cart: {
    heading: "カート",
    text: "送料と税金は次のステップで加算されます。",
    ended: "このカートはご利用いただけなくなりました",
    endedText: "キャンセルされたか、有効期限が切れています。",
  },

  sandbox: {
    heading: "テスト決済",
    text: "これはテスト環境の決済ページです。実際の請求は行われません。",
    pay: "テストカードで{amount}を支払う",
    decline: "拒否されるカードを使う",
    challenge: "銀行の確認が必要なカードを使う",
    back: "注文に戻る",
    declined: "カードが拒否されました。別のカードをお使いください。",
    ended: "このお支払いは終了しました。",
    bankHeading: "{amount}を支払いますか？",
    bankText: "これはテスト環境の銀行です。実際の請求は行われません。",
    confirm: "承認する",
    refuse: "拒否する",
    answered: "すでに回答済みです。",
  },
};
