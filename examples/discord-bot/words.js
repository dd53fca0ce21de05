// What the bot itself says; all about the games the server says, in these languages too.
const order = ["en", "ms", "es"];
const table = {
  join: ["Join", "Sertai", "Unirse"], abort: ["Call off", "Batalkan", "Cancelar"],
  accept: ["Accept", "Terima", "Aceptar"], decline: ["Decline", "Tolak", "Rechazar"],
  draw: ["draw", "seri", "empate"], rematch: ["rematch", "perlawanan semula", "revancha"],
  resign: ["Resign", "Menyerah kalah", "Rendirse"],
  sure: ["Really resign?", "Betul mahu menyerah kalah?", "¿Rendirse de verdad?"],
  wanted: ["% is looking for an opponent.", "% mencari lawan.", "% busca rival."],
  turn: ["It is %'s turn.", "Sekarang giliran %.", "Es el turno de %."],
  stranger: ["You do not play here", "Anda bukan pemain di sini", "No juegas aquí"],
  none: ["No games: /congkak offers one.", "Tiada permainan: /congkak.", "Ninguna: /congkak."],
  away: ["Out of reach: try again.", "Tidak tercapai: cuba lagi.", "No responde: reintenta."],
};
export const say = (lang, key, who) => table[key]?.[order.indexOf(lang)].replace("%", who) ?? key;
// Discord has no Malay; as Indonesian it reaches those who can read it.
export const languageOf = (tag) => ({ es: "es", id: "ms", ms: "ms" })[tag?.slice(0, 2)] ?? "en";
