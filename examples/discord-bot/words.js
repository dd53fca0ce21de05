// What the bot itself says; all about the games the server says, in these languages too.
const languages = ["en", "ms", "es"];
const table = {
  congkak: ["Offer a game of congkak", "Tawarkan permainan congkak", "Proponer congkak"],
  manqala: ["Offer a game of al-manqala", "Tawarkan permainan al-manqala", "Proponer al-manqala"],
  games: ["Your games", "Permainan anda", "Tus partidas"],
  help: ["The rules", "Peraturan", "Las reglas"],
  join: ["Join", "Sertai", "Unirse"], abort: ["Call off", "Batalkan", "Cancelar"],
  accept: ["Accept", "Terima", "Aceptar"], decline: ["Decline", "Tolak", "Rechazar"],
  draw: ["draw", "seri", "empate"], rematch: ["rematch", "perlawanan semula", "revancha"],
  resign: ["Resign", "Menyerah kalah", "Rendirse"],
  sure: ["Really resign?", "Betul mahu menyerah kalah?", "¿Rendirse de verdad?"],
  wanted: ["% is looking for an opponent.", "% mencari lawan.", "% busca rival."],
  turn: ["It is %'s turn.", "Sekarang giliran %.", "Es el turno de %."],
  stranger: ["You do not play here.", "Anda bukan pemain di sini.", "No juegas aquí."],
  none: ["No games: /congkak offers one.", "Tiada permainan: /congkak.", "Ninguna: /congkak."],
  away: ["Out of reach right now; nothing is lost. Try again soon.",
    "Tidak dapat dicapai sekarang; tiada yang hilang. Cuba lagi nanti.",
    "Fuera de alcance por ahora; nada se ha perdido. Prueba de nuevo pronto."],
};
export const say = (lang, key, who) =>
  table[key]?.[languages.indexOf(lang)].replace("%", () => who) ?? key;
// Discord has no Malay; as Indonesian it reaches those who can read it.
export const languageOf = (locale) =>
  ({ es: "es", id: "ms", ms: "ms" })[locale?.slice(0, 2)] ?? "en";
