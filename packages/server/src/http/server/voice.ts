import { formatAmount, htmlText } from "@gatehouse/protocol";
import { type BuyerWords, type Language, wordsIn } from "../../domain/buyer-words/words.js";

/** How a page for buyers speaks. */
export interface Voice {
  readonly language: Language;
  readonly words: BuyerWords;
  /** Where the service is, whose own pictures the page shows. */
  readonly baseUrl: string;
  /** A sum of money, as the language writes it, as HTML. What is taken off is negative. */
  money(minor: number, currency: string): string;
  /** A time of day, as text. */
  time(at: number): string;
  dateTime(at: number): string;
}

interface Place {
  readonly baseUrl: string;
  /** The zone of the shop. */
  readonly timeZone?: string;
}

export function voiceOf(language: Language, { baseUrl, timeZone = "UTC" }: Place): Voice {
  const clock = { hour: "2-digit", minute: "2-digit", timeZone, timeZoneName: "short" } as const;
  const date = { day: "numeric", month: "short", year: "numeric" } as const;
  return {
    language,
    baseUrl,
    words: wordsIn(language),
    money: (minor, currency) => {
      const sign = minor < 0 ? "-" : "";
      const amount = sign + formatAmount({ minor: Math.abs(minor), currency });
      const digits = amount.split(".")[1]?.length ?? 0;
      const format = new Intl.NumberFormat(language, {
        style: "currency",
        currency,
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      return htmlText(format.format(amount as Intl.StringNumericLiteral));
    },
    time: (at) => new Intl.DateTimeFormat(language, clock).format(at),
    dateTime: (at) => new Intl.DateTimeFormat(language, { ...date, ...clock }).format(at),
  };
}
