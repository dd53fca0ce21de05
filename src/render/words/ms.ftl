### Bahasa Melayu: the texts of mancala-post in Malay.
###
### Terms, as Malay players of congkak use them:
###   seat: pihak (Selatan, Utara)     house: kampung          store: rumah
###   seed: buah (al-manqala: mutiara) to sow: menabur         hand: tangan
###   lap: putaran                     relay: menyambung       turn: giliran
###   round: pusingan                  burnt: terbakar         opposite: setentang
###   to capture: menawan; mati bela, the capture from an own house, is also menembak
###   ply: langkah                     takeback: undur langkah draw: seri
###
### Malay has no plural forms: one text for every number.

## Seats

south = Selatan
north = Utara
somebody = seseorang

## Under a board of text, and in what a picture says to whoever cannot see it

joined = { $first }, { $second }
move-due = Giliran { $who }
opening-both = Pembukaan: kedua-dua pihak perlu memilih
opening-one = Pembukaan: { $who } masih perlu memilih
until = hingga { $time } UTC
round = Pusingan { $round }
round-of = Pusingan { $round } daripada { $most }
after-ply = Selepas langkah { $ply }
waiting = Menunggu lawan
called-off = Dibatalkan
hand = Tangan { $who }: { $seeds } buah di atas { $place }
place-house = { $who } { $house }
place-store = rumahnya
won = { $who } menang { $more } : { $less }
drawn = Seri, { $more } : { $less }
and-why = { $result },
why-most_seeds = buah terbanyak
why-majority = lebih daripada separuh
why-starvation = satu baris kebuluran
why-loop = baki dibahagi dua
why-cannot_refill = { $who } tidak dapat mengisi barisnya
why-resignation = { $who } menyerah kalah
why-timeout = { $who } kehabisan masa
why-agreement = dengan persetujuan
row-in-words = Kampung { $who }: { $houses }; rumah: { $store }.
burnt = terbakar
sentence = { $words }.

## Beside a name in a picture

note-after-ply = selepas langkah { $ply }
note-waiting = menunggu lawan
note-called-off = dibatalkan
note-choose = masih perlu memilih
note-until = hingga { $day } { $month } { $time } UTC
note-hand = tangan di atas { $place }
month = { $month ->
        [1] Jan
        [2] Feb
        [3] Mac
        [4] Apr
        [5] Mei
        [6] Jun
        [7] Jul
        [8] Ogos
        [9] Sep
        [10] Okt
        [11] Nov
       *[12] Dis
    }

## Rows of the log

sowed = { $who } menabur { $house }.
sowed-with = { $who } menabur { $house }: { $details }.
laps = { $laps } putaran
captured = menawan { $seeds }
extra-turn = giliran tambahan
passed = giliran lawan dilangkau
went-on = Tangan { $who } diteruskan.
went-on-with = Tangan { $who } diteruskan: { $details }.
row-takeback = { $ply ->
        [0] Diundur ke permulaan, seperti yang diminta oleh { $who }.
       *[other] Diundur ke langkah { $ply }, seperti yang diminta oleh { $who }.
    }
row-resignation = { $who } menyerah kalah.
row-timeout = { $who } kehabisan masa.
row-agreement = Kedua-dua pihak bersetuju seri.
row-loop = Kedua-dua pihak bersetuju membahagi dua baki di papan.
row-aborted = Permainan dibatalkan.

## Events

event-created = Satu permainan telah dibuat.
    .title = Permainan baharu
event-started = { $south } (selatan) bermain dengan { $north } (utara).
    .title = Permainan bermula
event-turn = Sekarang giliran { $who }.
    .title = Giliran { $who }
event-played =
    .title = { $who } telah bergerak
offered = { $offer ->
        [draw] keputusan seri
        [split] pembahagian baki
        [takeback] undur langkah
        [pause] rehat
        [rematch] perlawanan semula
       *[other] sesuatu
    }
event-offer = { $who } menawarkan { offered }.
    .title = Tawaran
event-answer = Tawaran { offered } daripada { $who } { $answer ->
        [accepted] telah diterima
        [declined] telah ditolak
       *[void] telah terbatal
    }.
    .title = Tawaran dijawab
event-near = Masa { $who } tinggal suku.
    .title = Masa hampir tamat
event-moved = { $reason ->
        [vacation] { $who } sedang bercuti: jamnya dihentikan.
        [vacation_until] { $who } bercuti hingga { $until } UTC: jamnya dihentikan.
        [vacation_over] { $who } sudah kembali: jamnya berjalan semula.
        [vacation_over_until] { $who } sudah kembali: jamnya berjalan semula, hingga { $until } UTC.
        [pause] Permainan direhatkan: jam { $who } dihentikan.
        [pause_until] Permainan direhatkan hingga { $until } UTC: jam { $who } dihentikan.
        [pause_over] Permainan diteruskan: jam { $who } berjalan semula.
        [pause_over_until] Permainan diteruskan: jam { $who } berjalan semula, hingga { $until } UTC.
       *[downtime] Pelayan tidak dapat dihubungi; had masa { $who } telah ditunda.
    }
    .title = { $reason ->
        [vacation] Jam dihentikan
        [vacation_until] Jam dihentikan
        [vacation_over] Jam berjalan semula
        [vacation_over_until] Jam berjalan semula
        [pause] Jam dihentikan
        [pause_until] Jam dihentikan
        [pause_over] Jam berjalan semula
        [pause_over_until] Jam berjalan semula
       *[downtime] Masa tambahan
    }
event-won = { $reason ->
        [resignation] { $winner } menang kerana lawan menyerah kalah, { $south-score }:{ $north-score }.
        [timeout] { $winner } menang kerana lawan kehabisan masa, { $south-score }:{ $north-score }.
       *[other] { $winner } menang, { $south-score }:{ $north-score }.
    }
    .title = Permainan tamat
event-drawn = Seri, { $south-score }:{ $north-score }.
    .title = Permainan tamat
event-aborted = { $reason ->
        [called_off_by] { $who } membatalkan permainan.
        [declined_by] { $who } menolak jemputan.
        [declined] Jemputan ditolak.
        [left_by] { $who } telah meninggalkan pelayan.
        [left] Seorang pemain telah meninggalkan pelayan.
        [nobody_joined] Tiada sesiapa menyertai dalam masa yang ditetapkan.
        [late_by] { $who } tidak membuat pilihan pertama dalam masa yang ditetapkan.
        [late] Kedua-dua pihak tidak membuat pilihan dalam masa yang ditetapkan.
       *[called_off] Permainan dibatalkan.
    }
    .title = Permainan dibatalkan

event-disabled = { $reason ->
        [gone] Alamat satu webhook menjawab bahawa ia sudah tiada.
       *[failing] Alamat satu webhook tidak menerima apa-apa selama beberapa hari.
    }
    .title = Webhook dinyahaktifkan

event-test = Mesej sampai di sini.
    .title = Ujian

## Rulesets

-board = Dua pemain, selatan dan utara, duduk bertentangan di papan dengan dua baris, tujuh kampung sebaris. Setiap pihak memiliki baris di hadapannya dan rumah di sebelah kirinya. Kampung dikira dari kiri pemiliknya, jadi kampung 1 terletak bersebelahan dengan rumah sendiri. Setiap kampung bermula dengan tujuh buah; kedua-dua rumah kosong.
-way = mengikut arah jam: sepanjang baris sendiri ke kiri, ke dalam rumah sendiri, sepanjang baris lawan, lalu kembali ke baris sendiri. Rumah lawan tidak pernah menerima buah
-origin = Putaran yang panjang menjatuhkan buah ke dalam kampung asalnya juga.
-last-seed = Buah terakhir sesuatu putaran menentukan. Di rumah sendiri: pemain bergerak sekali lagi, dari mana-mana kampung. Di kampung yang berisi, di pihak mana-mana pun: semua buahnya diangkat, termasuk yang terakhir, dan putaran berikutnya bermula di situ. Di kampung lawan yang kosong: putaran itu mati, buah itu tinggal di situ, dan giliran tamat.
-bank = Di kampung sendiri yang kosong giliran juga tamat: jika kampung setentang berisi, isinya dan buah terakhir itu masuk ke rumah pemain (mati bela, iaitu menembak); jika kampung itu kosong, buah terakhir sahaja masuk ke rumah.
-together = Kedua-duanya memilih kampung secara rahsia; isi kedua-dua kampung diangkat serentak, dan setiap tangan menjatuhkan sebiji buah pada setiap detik. Tangan yang kosong pada detik yang sama diselesaikan bersama: mula-mula yang menyambung dengan putaran baharu, kemudian yang mati, kemudian yang menawan. Jika kedua-duanya berakhir di kampung yang sama, pemilik kampung itu menyambung dengan semua buahnya dan yang satu lagi mati. Jika kedua-duanya berakhir di kampung sendiri yang kosong dan saling bertentangan, masing-masing menyimpan buah terakhirnya. Tangan yang berakhir di rumahnya membolehkan pemiliknya memilih sekali lagi secara rahsia; sehingga itu semuanya berhenti. Apabila kedua-dua putaran sudah mati, pihak yang putarannya mati lebih awal bergerak dahulu; jika pada detik yang sama, selatan.
-loser = Pihak yang kalah dalam sesuatu pusingan memulakan pusingan berikutnya; selepas pusingan yang seri, pemain yang tidak memulakan pusingan itu.

ruleset-congkak = Congkak
    .summary = Congkak satu pusingan; kedua-dua pihak bergilir-gilir sejak langkah pertama.
    .rules =
        { -board } Selatan bergerak dahulu.

        Pemain memilih satu kampung sendiri yang berisi, mengangkat semua buahnya dan menjatuhkannya sebiji demi sebiji, { -way }. { -origin }

        { -last-seed } Di kampung sendiri yang kosong: jika kampung setentang berisi, isinya dan buah terakhir itu masuk ke rumah pemain (mati bela, iaitu menembak), dan giliran tamat; jika kampung itu kosong, buah itu tinggal di situ dan giliran tamat.

        Permainan tamat apabila pihak yang perlu bergerak, mungkin dengan giliran tambahan, tidak mempunyai buah di barisnya. Buah yang tinggal di baris yang satu lagi menjadi milik tuan baris itu. Buah terbanyak menang; 49 seorang ialah seri. Tiada siapa menang lebih awal kerana memiliki lebih daripada separuh.

        Pihak pertama boleh memenangi permainan ini dalam satu giliran sahaja dengan giliran tambahan. Pihak yang diundi, permainan berpasangan, atau peraturan dengan pembukaan serentak adalah adil.
ruleset-congkak-traditional = Congkak tradisional
    .summary = Congkak Melayu berpusingan dengan kampung terbakar dan pembukaan serentak.
    .rules =
        { -board }

        Satu putaran: semua buah dari satu kampung sendiri diangkat dan dijatuhkan sebiji demi sebiji, { -way }; kampung yang terbakar dilangkau. { -origin }

        { -last-seed } { -bank }

        Pusingan pertama dibuka oleh kedua-dua pemain serentak. { -together }

        Sesuatu pusingan tamat apabila salah satu baris kosong selepas langkah yang lengkap. Buah yang tinggal di baris yang satu lagi menjadi milik tuan baris itu. Buah terbanyak memenangi pusingan.

        Untuk pusingan berikutnya setiap pemain mengisi baris sendiri dari rumah sendiri, bermula dengan kampung 1, tujuh buah bagi setiap kampung selagi ada tujuh; bakinya tinggal di rumah. Kampung yang tidak berisi terbakar dalam pusingan ini: ia tidak dipilih, tidak ditabur, tidak menawan dan tidak ditawan. Ia dibuka semula apabila pemiliknya telah memenangi buah yang mencukupi. { -loser } Pemain yang tidak dapat mengisi walau satu kampung kalah dalam siri itu.
ruleset-congkak-arena = Congkak arena
    .summary = Congkak seperti di Board Game Arena: satu pusingan dengan pembukaan serentak.
    .rules =
        { -board }

        Satu putaran: semua buah dari satu kampung sendiri diangkat dan dijatuhkan sebiji demi sebiji, { -way }. { -origin }

        { -last-seed } { -bank }

        Permainan dibuka oleh kedua-dua pemain serentak. { -together }

        Pusingan tamat apabila salah satu baris kosong selepas langkah yang lengkap. Buah yang tinggal di baris yang satu lagi menjadi milik tuan baris itu. Buah terbanyak menang.

        Dalam siri beberapa pusingan, setiap pemain mengagihkan buah dari rumah sendiri sebiji demi sebiji ke dalam kampung sendiri, bermula dengan kampung 1, berulang-ulang, hingga tujuh bagi setiap kampung; bakinya tinggal di rumah. Kampung yang tidak mendapat buah terbakar dalam pusingan itu. Buah yang dijatuhkan ke dalam kampung terbakar terus masuk ke rumah lawan si penabur, tidak kira siapa pemilik kampung itu; buah terakhir di situ menamatkan giliran tanpa tawanan. { -loser } Selepas pusingan terakhir, buah terbanyak menang; pemain yang tidak mempunyai buah sudah kalah sebelum itu.
ruleset-al-manqala = Al-manqala
    .summary = Al-manqala dari Galilea: satu putaran, tawanan dua dan empat.
    .rules =
        Dua pemain, selatan dan utara, duduk bertentangan di papan dengan dua baris, tujuh kampung sebaris. Setiap pihak memiliki baris di hadapannya. Kampung dikira dari kiri pemiliknya. Setiap kampung bermula dengan tujuh mutiara, 98 kesemuanya; tiada rumah di papan, setiap pemain menyimpan apa yang ditawannya. Selatan bergerak dahulu.

        Pemain memilih satu kampung sendiri yang berisi, mengangkat semua mutiaranya dan menjatuhkannya sebiji demi sebiji, melawan arah jam: sepanjang baris sendiri ke kanan, kemudian sepanjang baris lawan dari sebelah kiri lawan, lalu kembali ke baris sendiri. Putaran yang panjang menjatuhkan mutiara ke dalam kampung asalnya juga. Hanya ada satu putaran dan tiada giliran kedua.

        Jika mutiara terakhir menjadikan isi sebuah kampung tepat dua atau empat, di pihak mana-mana pun, semuanya ditawan. Kemudian kampung sebelumnya pada laluan itu dilihat: jika isinya dua atau empat, ia juga ditawan, dan begitulah seterusnya ke belakang tanpa terputus, juga merentas sempadan antara dua baris.

        Jika baris lawan kosong, pemain mesti memilih kampung yang memberinya makan: sekurang-kurangnya satu mutiara dijatuhkan di baris lawan, walaupun langkah yang sama menawannya semula. Jika tiada kampung sedemikian, permainan tamat: pemain yang lapar mengambil semua yang tinggal di papan. Jika tawanan mengambil mutiara lawan yang terakhir, giliran lawan dilangkau dan pemain bergerak lagi, dengan kewajipan yang sama.

        Lima puluh mutiara atau lebih menamatkan permainan serta-merta; mutiara yang tinggal di papan tidak dikira untuk sesiapa. Apabila kedua-dua pemain bersetuju bahawa bakinya hanya berpusing-pusing, baki itu dibahagi dua; hal yang sama berlaku dengan sendirinya apabila sesuatu kedudukan muncul kali ketiga sejak tawanan terakhir. Papan tanpa mutiara juga menamatkan permainan. Mutiara terbanyak menang; 49 seorang ialah seri.

## Parameters of the rules; their values are words of the interface and stay as they are

parameter-houses = Bilangan kampung dalam setiap baris.
parameter-seeds = Bilangan buah dalam setiap kampung pada permulaan. Sama dengan bilangan kampung jika tidak diberikan.
parameter-opening = Cara pusingan pertama bermula. alternating: selatan bergerak dahulu. simultaneous: kedua-dua pihak memilih secara rahsia dan menabur bersama, detik demi detik.
parameter-empty_opposite = Buah terakhir di kampung sendiri yang kosong, setentang dengan kampung yang kosong. stay: tinggal di situ. bank: masuk ke rumah sendiri.
parameter-round_end = Bila sesuatu pusingan tamat. mover_empty: pihak yang perlu bergerak tidak mempunyai buah di barisnya. side_empty: salah satu baris kosong.
parameter-max_rounds = Bilangan pusingan paling banyak; 1 ialah satu pusingan sahaja, null bermain terus sehingga satu pihak tidak dapat mengisi barisnya.
parameter-refill = Cara sesuatu pihak mengisi barisnya untuk pusingan berikutnya. left_to_right: kampung demi kampung hingga penuh selagi rumahnya berisi. even: sebiji demi sebiji, berulang-ulang.
parameter-burnt = Kampung terbakar di laluan tangan. skip: tiada buah dijatuhkan. confiscate: sebiji dijatuhkan, lalu masuk ke rumah lawan si penabur.
parameter-burnt_recoverable = Sama ada kampung terbakar ditentukan semula pada setiap pusingan; false: sekali terbakar, terbakar sepanjang siri.
parameter-feeding = Apa yang dikira memberi makan kepada baris yang kosong. deposit: satu mutiara dijatuhkan di situ, walaupun ditawan semula. leaves: masih ada satu di situ selepasnya.
parameter-loop_repeat = Pada kemunculan yang ke berapa sesuatu kedudukan sejak tawanan terakhir mutiara di papan dibahagi dua; null: hanya apabila kedua-dua pihak bersetuju.

## Problems: what is wrong in a few words; what it means and what to do

problem-bad_request = Permintaan tidak betul bentuknya
    .explanation = Badan, laluan atau pertanyaan tidak mengikut bentuk yang didokumenkan. `parameter` menamakan bahagian yang salah, `detail` menerangkan bagaimana.
problem-unauthorized = Token yang sah diperlukan
    .explanation = Hantar `Authorization: Bearer mp_…` dengan token pemain atau token pihak. Di sini token itu tiada, tidak dikenali, dibatalkan, luput, atau tidak dalam bentuk itu. Token yang dihantar mesti sah walaupun token tidak diperlukan.
problem-not_seated = Token ini tidak membuka mana-mana pihak dalam permainan ini
    .explanation = Hanya dua pihak dalam permainan boleh melakukannya, masing-masing dengan token sendiri.
problem-missing_scope = Token ini tidak boleh digunakan untuk ini
    .explanation = Token pemain mempunyai skop; permintaan ini memerlukan skop yang tiada padanya. `GET /v1/me` menunjukkannya.
problem-seat_token = Token pihak tidak mempunyai akaun
    .explanation = Token bagi satu pihak hanya boleh digunakan untuk permainannya. Daftar dengan `POST /v1/players`.
problem-not_managed = Bot ini tidak mewakili pemain itu
    .explanation = `Mancala-Act-As` menamakan seseorang yang dibuat oleh bot ini dengan `PUT /v1/managed-players/{ "{" }external_ref{ "}" }`; orang bot lain tidak wujud baginya.
problem-acting = Ini urusan bot itu sendiri
    .explanation = Token, dan orang yang diwakili oleh bot, adalah urusan bot: hantar permintaan tanpa `Mancala-Act-As`.
problem-not_invited = Tempat ini disimpan untuk orang lain
    .explanation = Tempat kosong dalam permainan ini adalah untuk pemain yang dijemput dengan nama, atau sesiapa yang membawa token jemputannya.
problem-unknown_player = Tiada pemain sedemikian
    .explanation = Tiada sesiapa mempunyai nama ini. Huruf besar dan huruf kecil tidak dibezakan.
problem-unknown_token = Tiada token sedemikian
    .explanation = Pemain tidak mempunyai token dengan id ini; mungkin ia telah dibatalkan.
problem-unknown_webhook = Tiada webhook sedemikian
    .explanation = Pemain tidak mempunyai webhook dengan id ini. `GET /v1/webhooks` menyenaraikannya.
problem-unknown_delivery = Webhook tidak mempunyai penghantaran sedemikian
    .explanation = Penghantaran dinamakan dengan id peristiwanya dan disimpan selama 30 hari. Yang lebih lama, atau yang tidak pernah dihantar, boleh diulang dari satu kursor.
problem-not_found = Tiada apa-apa di sini
    .explanation = Tiada laluan sedemikian, atau tiada permainan sedemikian, atau permainan peribadi yang tidak boleh dilihat oleh pemanggil ini.
problem-unknown_ply = Log tidak mempunyai baris sedemikian
    .explanation = `at_ply`, atau `ply` bagi papan, melepasi hujung log, di bawah 0, atau menamakan baris yang telah diundur.
problem-unknown_offer = Permainan tidak mempunyai tawaran sedemikian
    .explanation = Tawaran dikira dari 1 dalam setiap permainan.
problem-unknown_ruleset = Tiada set peraturan sedemikian
    .explanation = `GET /v1/rulesets` menyenaraikannya.
problem-method_not_allowed = Laluan ini tidak menerima kaedah ini
    .explanation = Pengepala `Allow` menyenaraikan kaedah yang diterima.
problem-not_acceptable = Tiada format yang diminta dapat diberikan
    .explanation = Pengepala `Accept` tidak menamakan format yang dijawab oleh laluan ini; `detail` menyenaraikan format yang ada.
problem-request_timeout = Permintaan tidak sampai pada masanya
    .explanation = Badan belum tiba sepenuhnya apabila masa permintaan tamat. Tiada apa-apa dilakukan; sambungan ditutup. Hantar sekali lagi melalui sambungan lain.
problem-payload_too_large = Badan terlalu besar
    .explanation = Badan tidak boleh melebihi 64 KiB.
problem-unsupported_media_type = Badan bukan JSON
    .explanation = Hantar badan sebagai JSON dengan `Content-Type: application/json`.
problem-range_not_satisfiable = Fail tidak mempunyai bahagian sedemikian
    .explanation = `Range` bermula selepas hujung fail. `Content-Range` menyatakan panjangnya.
problem-not_started = Permainan belum bermula
    .explanation = Satu tempat masih kosong. Permainan bermula apabila kedua-duanya terisi.
problem-game_over = Permainan sudah tamat
    .explanation = Tiada apa-apa lagi boleh dimainkan. `game` ialah keadaan terakhirnya.
problem-stale_ply = Permainan sudah berubah
    .explanation = `after_ply` mesti sama dengan bilangan baris dalam log, `current_ply`. `game` ialah keadaan semasa: lihat dan pilih semula. Pilihan sama yang telah dimainkan dengan `after_ply` yang sama dijawab dengan barisnya yang tersimpan.
problem-already_committed = Pilihan yang sudah dibuat tidak boleh diubah
    .explanation = Pilihan rahsia pihak ini dalam pembukaan sedang menunggu pilihan pihak yang satu lagi.
problem-not_your_turn = Sekarang giliran pihak yang satu lagi
    .explanation = `to_move` dalam keadaan permainan menamakan pihak yang perlu memilih.
problem-handle_taken = Nama ini sudah digunakan
    .explanation = Setiap nama mesti unik tanpa mengira huruf besar dan huruf kecil.
problem-too_many_tokens = Pemain mempunyai terlalu banyak token
    .explanation = Seorang pemain boleh mempunyai 100 token yang belum luput. Batalkan satu: `GET /v1/me/tokens` menyenaraikannya.
problem-too_many_webhooks = Pemain mempunyai terlalu banyak webhook
    .explanation = Seorang pemain boleh mempunyai 50. Satu webhook tanpa `game_id` meliputi semua permainan pemain itu.
problem-seat_taken = Tempat ini tidak kosong lagi
    .explanation = Orang lain telah menyertai dahulu, atau permainan ini tidak pernah mempunyai tempat kosong.
problem-own_game = Tiada sesiapa bermain melawan diri sendiri
    .explanation = Tempat kosong dalam permainan adalah untuk orang selain pembuatnya.
problem-cannot_abort = Permainan sudah terlalu jauh untuk dibatalkan
    .explanation = Permainan boleh dibatalkan sehingga kedua-dua pihak membuat pilihan pertama; selepas itu, menyerah kalahlah.
problem-cursor_reset = Kursor menunjuk ke log yang lain
    .explanation = Pangkalan data telah dikembalikan ke masa lalu selepas kursor diberikan. Baca log dari mula (`after=0`) atau dari sekarang (tanpa `after`).
problem-key_running = Permintaan pertama dengan kunci ini masih berjalan
    .explanation = Cuba sebentar lagi: kunci dan badan yang sama mendapat jawapan permintaan pertama.
problem-offer_impossible = Tawaran tidak boleh dibuat atau diterima di sini
    .explanation = Peraturan atau kedudukan tidak membenarkannya; `detail` menerangkan sebabnya.
problem-offer_open = Tawaran sedemikian sudah terbuka
    .explanation = Hanya satu tawaran bagi setiap jenis boleh terbuka dalam permainan. Jawab tawaran itu, atau tunggu jawapannya.
problem-own_offer = Tawaran dijawab oleh pihak yang satu lagi
    .explanation = Pihak yang membuat tawaran tidak boleh menerima atau menolaknya.
problem-offer_closed = Tawaran tidak lagi menunggu jawapan
    .explanation = Ia telah dijawab, atau terbatal oleh baris log yang kemudian.
problem-in_opening = Pembukaan belum tamat
    .explanation = Langkah bersyarat boleh disediakan apabila pembukaan kedua-dua pihak sudah tamat: sebelum itu setiap pilihan adalah rahsia.
problem-lines_part = Dua baris langkah bercabang pada pilihan anda sendiri
    .explanation = Baris langkah boleh bercabang pada pilihan pihak yang satu lagi. Pada pilihan anda sendiri, semua baris yang sampai ke tempat yang sama mesti diteruskan dengan cara yang sama; `parameter` menamakan yang tidak.
problem-illegal_move = Peraturan tidak membenarkan pilihan ini
    .explanation = `legal_moves` menyenaraikan yang dibenarkan; `index` atau `parameter` menyatakan pilihan yang mana satu antara beberapa.
problem-key_reused = Idempotency-Key ini milik permintaan lain
    .explanation = Satu kunci mewakili satu permintaan, termasuk badannya, selama sehari. Gunakan kunci baharu.
problem-bad_invitation = Tiada sesiapa boleh dijemput begini
    .explanation = Lawan itu tidak wujud, ialah pembuat permainan, atau permainan peribadi hendak dibuka kepada sesiapa sahaja.
problem-bad_webhook_url = Mesej tidak boleh dihantar ke URL ini
    .explanation = URL webhook bermula dengan `https://`, tidak mengandungi pengguna atau serpihan, dan menuju ke alamat internet awam; `detail` menyatakan apa yang salah.
problem-bad_rules = Peraturan ini tidak boleh dimainkan
    .explanation = `parameter` menamakan parameter yang tidak dikenali, tidak bermakna bagi set peraturan ini, atau di luar julat. `GET /v1/rulesets/{ "{" }name{ "}" }` menyenaraikan parameternya.
problem-bad_start = Permulaan khas ini tidak boleh dimainkan
    .explanation = Permulaan itu tidak terbaca sebagai kedudukan, atau melanggar syarat yang dinamakan oleh `detail`.
problem-vacation_budget = Cuti ini lebih panjang daripada bakinya
    .explanation = Seorang pemain mempunyai 30 hari cuti dalam setiap tahun kalendar (UTC); yang dikira ialah masa yang benar-benar digunakan. Cuti yang melintasi tahun baharu mengambil daripada kedua-dua tahun. `detail` menyatakan bakinya; `GET /v1/me` menunjukkan baki tahun ini.
problem-rate_limited = Terlalu banyak permintaan dalam masa yang singkat
    .explanation = Satu token, atau satu alamat tanpa token, boleh menghantar sebanyak mana permintaan seminit seperti yang dinyatakan oleh pengepala `RateLimit-Policy`. Cuba lagi selepas bilangan saat dalam `Retry-After`.
problem-unavailable = Pelayan tidak dapat menjawab buat masa ini
    .explanation = Pangkalan data tiada atau terlalu sibuk. Cuba lagi selepas bilangan saat dalam `Retry-After`; menghantar langkah yang sama sekali lagi adalah selamat.
problem-internal = Ada sesuatu yang tidak kena di pelayan
    .explanation = Log pelayan menyimpan puncanya di bawah `request_id` ini.
