### Español: the texts of mancala-post in Spanish.
###
### Terms:
###   seat: asiento (Sur, Norte)          house: casa           store: granero
###   seed: semilla (al-manqala: perla)   to sow: sembrar       hand: mano
###   lap: vuelta                         relay: relevo         turn: turno
###   round: ronda                        burnt: quemada        opposite: de enfrente
###   to capture: capturar                mati, mati bela: as in Malay
###   ply: jugada                         takeback: deshacer jugadas    draw: empate
###
### Verbs that fit any player: no word that has to agree with a person's gender.

## Seats

south = Sur
north = Norte
somebody = alguien

## Under a board of text, and in what a picture says to whoever cannot see it

joined = { $first }, { $second }
move-due = Le toca a { $who }
opening-both = Apertura: faltan ambas elecciones
opening-one = Apertura: falta la elección de { $who }
until = hasta { $time } UTC
round = Ronda { $round }
round-of = Ronda { $round } de { $most }
after-ply = Tras la jugada { $ply }
waiting = A la espera de rival
called-off = Cancelada
hand = Mano de { $who }: { $seeds ->
        [one] { $seeds } semilla
       *[other] { $seeds } semillas
    } sobre { $place }
place-house = { $who } { $house }
place-store = su granero
won = { $who } ganó { $more } : { $less }
drawn = Empate, { $more } : { $less }
and-why = { $result },
why-most_seeds = más semillas
why-majority = más de la mitad
why-starvation = una fila pasó hambre
why-loop = el resto se repartió
why-cannot_refill = { $who } no puede llenar su fila
why-resignation = { $who } se rindió
why-timeout = { $who } agotó su tiempo
why-agreement = de común acuerdo
row-in-words = Casas de { $who }: { $houses }; granero: { $store }.
burnt = quemada
sentence = { $words }.

## Beside a name in a picture

note-after-ply = tras la jugada { $ply }
note-waiting = a la espera de rival
note-called-off = cancelada
note-choose = falta su elección
note-until = hasta el { $day } { $month } { $time } UTC
note-hand = mano sobre { $place }
month = { $month ->
        [1] ene
        [2] feb
        [3] mar
        [4] abr
        [5] may
        [6] jun
        [7] jul
        [8] ago
        [9] sep
        [10] oct
        [11] nov
       *[12] dic
    }

## Rows of the log

sowed = { $who } sembró { $house }.
sowed-with = { $who } sembró { $house }: { $details }.
laps = { $laps ->
        [one] { $laps } vuelta
       *[other] { $laps } vueltas
    }
captured = capturó { $seeds }
extra-turn = turno extra
passed = el otro asiento pasa
went-on = La mano de { $who } siguió.
went-on-with = La mano de { $who } siguió: { $details }.
row-takeback = { $ply ->
        [0] Se volvió al comienzo, como pidió { $who }.
       *[other] Se volvió a la jugada { $ply }, como pidió { $who }.
    }
row-resignation = { $who } se rindió.
row-timeout = { $who } agotó su tiempo.
row-agreement = Ambos acordaron un empate.
row-loop = Ambos acordaron repartir lo que quedaba en el tablero.
row-aborted = La partida se canceló.

## Events

event-created = Se creó una partida.
    .title = Partida nueva
event-started = { $south } (sur) juega contra { $north } (norte).
    .title = Comienza la partida
event-turn = Es el turno de { $who }.
    .title = Le toca a { $who }
event-played =
    .title = { $who } jugó
offered = { $offer ->
        [draw] un empate
        [split] un reparto
        [takeback] deshacer jugadas
        [pause] una pausa
        [rematch] una revancha
       *[other] algo
    }
event-offer = { $who } propone { offered }.
    .title = Propuesta
event-answer = La propuesta de { $who } ({ offered }) { $answer ->
        [accepted] fue aceptada
        [declined] fue rechazada
       *[void] quedó sin efecto
    }.
    .title = Respuesta a la propuesta
event-near = A { $who } le queda un cuarto del tiempo.
    .title = Se acaba el tiempo
event-moved = { $reason ->
        [vacation] { $who } está de vacaciones: el reloj se detiene.
        [vacation_until] { $who } está de vacaciones hasta { $until } UTC: el reloj se detiene.
        [vacation_over] { $who } ha vuelto: el reloj corre de nuevo.
        [vacation_over_until] { $who } ha vuelto: el reloj corre de nuevo, hasta { $until } UTC.
        [pause] La partida está en pausa: el reloj de { $who } se detiene.
        [pause_until] La partida está en pausa hasta { $until } UTC: el reloj de { $who } se detiene.
        [pause_over] La partida continúa: el reloj de { $who } corre de nuevo.
        [pause_over_until] La partida continúa: el reloj de { $who } corre de nuevo, hasta { $until } UTC.
       *[downtime] El servidor no estaba disponible; el plazo de { $who } se aplazó.
    }
    .title = { $reason ->
        [vacation] El reloj se detiene
        [vacation_until] El reloj se detiene
        [vacation_over] El reloj corre de nuevo
        [vacation_over_until] El reloj corre de nuevo
        [pause] El reloj se detiene
        [pause_until] El reloj se detiene
        [pause_over] El reloj corre de nuevo
        [pause_over_until] El reloj corre de nuevo
       *[downtime] Más tiempo
    }
event-won = { $reason ->
        [resignation] { $winner } gana por rendición, { $south-score }:{ $north-score }.
        [timeout] { $winner } gana por tiempo, { $south-score }:{ $north-score }.
       *[other] { $winner } gana, { $south-score }:{ $north-score }.
    }
    .title = Fin de la partida
event-drawn = Empate, { $south-score }:{ $north-score }.
    .title = Fin de la partida
event-aborted = { $reason ->
        [called_off_by] { $who } canceló la partida.
        [declined_by] { $who } rechazó la invitación.
        [declined] La invitación fue rechazada.
        [left_by] { $who } dejó el servidor.
        [left] Alguien que jugaba dejó el servidor.
        [nobody_joined] Nadie se unió a tiempo.
        [late_by] { $who } no hizo su primera elección a tiempo.
        [late] Ningún asiento hizo su elección a tiempo.
       *[called_off] La partida se canceló.
    }
    .title = Partida cancelada

event-disabled = { $reason ->
        [gone] La dirección de un webhook respondió que ya no existe.
       *[failing] La dirección de un webhook lleva días sin aceptar nada.
    }
    .title = Webhook desactivado

event-test = Los mensajes llegan aquí.
    .title = Prueba

## Rulesets

-board = Dos jugadores, sur y norte, se sientan frente a frente ante un tablero de dos filas de siete casas. Cada asiento posee la fila que tiene delante y el granero a su izquierda. Las casas se cuentan desde la izquierda de su dueño, de modo que la casa 1 está junto al granero propio. Cada casa empieza con siete semillas; los graneros están vacíos.
-way = en el sentido de las agujas del reloj: por la fila propia hacia la izquierda, en el granero propio, por la fila del rival y otra vez por la fila propia. El granero del rival nunca recibe semillas
-origin = Una vuelta larga deja una semilla también en la casa de la que partió.
-last-seed = La última semilla de una vuelta decide. En el granero propio: se juega otra vez, desde cualquier casa. En una casa con semillas, en cualquiera de los lados: se levantan todas, también la última, y la vuelta siguiente parte de allí. En una casa vacía del rival: la vuelta muere (mati), la semilla se queda y el turno termina.
-bank = En una casa propia vacía el turno también termina: si la casa de enfrente tiene semillas, estas y la última van al granero propio (mati bela); si está vacía, solo la última semilla va allí.
-together = Ambos eligen una casa en secreto; las dos se levantan a la vez, y cada mano deja una semilla por pulso. Las manos que quedan vacías en el mismo pulso se resuelven juntas: primero las que siguen con otra vuelta, luego las que mueren, luego las capturas. Si ambas terminan en la misma casa, la mano del dueño sigue con todas sus semillas y la otra muere. Si ambas terminan en casas propias vacías que están una frente a otra, cada asiento conserva su última semilla. Cuando una mano termina en su granero, su dueño elige de nuevo en secreto; hasta entonces todo se detiene. Cuando ambas vueltas han muerto, juega primero el asiento cuya vuelta murió antes; si fue en el mismo pulso, sur.
-loser = Quien pierde una ronda empieza la siguiente; tras una ronda igualada, quien no empezó esa ronda.

ruleset-congkak = Congkak
    .summary = Congkak a una ronda; los asientos se turnan desde la primera jugada.
    .rules =
        { -board } Sur juega primero.

        Se elige una casa propia que tenga semillas, se levantan todas y se dejan una a una, { -way }. { -origin }

        { -last-seed } En una casa propia vacía: si la casa de enfrente tiene semillas, estas y la última van al granero propio (mati bela) y el turno termina; si está vacía, la semilla se queda y el turno termina.

        La partida termina cuando el asiento al que le toca jugar, quizá por un turno extra, no tiene semillas en su fila. Las semillas que quedan en la otra fila son de su dueño. Gana quien tenga más semillas; 49 cada uno es empate. Nadie gana antes por tener más de la mitad.

        El primer asiento puede ganar esta partida en un solo turno de turnos extra. Son justos los asientos al azar, las partidas por pares o un reglamento con apertura simultánea.
ruleset-congkak-traditional = Congkak tradicional
    .summary = Congkak malayo por rondas, con casas quemadas y apertura simultánea.
    .rules =
        { -board }

        Una vuelta: todas las semillas de una casa propia se levantan y se dejan una a una, { -way }; las casas quemadas se saltan. { -origin }

        { -last-seed } { -bank }

        La primera ronda se abre con ambos a la vez. { -together }

        Una ronda termina cuando cualquiera de las filas está vacía tras una jugada completa. Las semillas que quedan en la otra fila son de su dueño. Gana la ronda quien tenga más semillas.

        Para la ronda siguiente cada uno llena su fila con su granero, la casa 1 primero, siete semillas por casa mientras haya siete; el resto se queda en el granero. Las casas sin semillas quedan quemadas esa ronda: no se eligen, no se siembran, no capturan ni son capturadas. Se abren de nuevo cuando su dueño ha ganado suficientes semillas. { -loser } Quien no puede llenar ni una casa ha perdido la serie.
ruleset-congkak-arena = Congkak de arena
    .summary = Congkak como en Board Game Arena: una ronda con apertura simultánea.
    .rules =
        { -board }

        Una vuelta: todas las semillas de una casa propia se levantan y se dejan una a una, { -way }. { -origin }

        { -last-seed } { -bank }

        La partida se abre con ambos a la vez. { -together }

        La ronda termina cuando cualquiera de las filas está vacía tras una jugada completa. Las semillas que quedan en la otra fila son de su dueño. Gana quien tenga más semillas.

        En una serie de rondas cada uno reparte las semillas de su granero una a una en sus casas, la casa 1 primero, vuelta tras vuelta, hasta siete por casa; el resto se queda en el granero. Una casa que no recibe ninguna queda quemada esa ronda. Una semilla que cae en una casa quemada va enseguida al granero del rival de quien siembra, sea de quien sea la casa; si es la última, el turno termina sin captura. { -loser } Tras la última ronda gana quien tenga más semillas; quien se queda sin ninguna ha perdido antes.
ruleset-al-manqala = Al-manqala
    .summary = Al-manqala de Galilea: una sola vuelta, capturas de dos y de cuatro.
    .rules =
        Dos jugadores, sur y norte, se sientan frente a frente ante un tablero de dos filas de siete casas. Cada asiento posee la fila que tiene delante. Las casas se cuentan desde la izquierda de su dueño. Cada casa empieza con siete perlas, 98 en total; no hay graneros en el tablero, cada uno guarda lo que captura. Sur juega primero.

        Se elige una casa propia que tenga perlas, se levantan todas y se dejan una a una, en sentido contrario a las agujas del reloj: por la fila propia hacia la derecha, luego por la fila del rival desde la izquierda de este y otra vez por la fila propia. Una vuelta larga deja una perla también en la casa de la que partió. Hay una sola vuelta y ningún segundo turno.

        Si la última perla hace exactamente dos o cuatro en una casa, en cualquiera de los lados, se capturan. Luego se mira la casa anterior en el camino: si tiene dos o cuatro, también se capturan, y así hacia atrás sin interrupción, incluso de una fila a la otra.

        Si la fila del rival está vacía, hay que elegir una casa que la alimente: al menos una perla cae en la fila del rival, aunque la misma jugada la capture de nuevo. Si ninguna lo hace, la partida termina: quien pasa hambre se lleva todo lo que queda en el tablero. Si una captura se lleva las últimas perlas del rival, el rival pasa y se juega otra vez, con el mismo deber.

        Con cincuenta perlas o más la partida termina en el acto; las perlas que quedan en el tablero no cuentan para nadie. Cuando ambos acuerdan que el resto solo da vueltas, se reparte a medias; lo mismo ocurre por sí solo cuando una posición se ha dado por tercera vez desde la última captura. Un tablero sin perlas también termina la partida. Gana quien tenga más perlas; 49 cada uno es empate.

## Parameters of the rules; their values are words of the interface and stay as they are

parameter-houses = Casas en cada fila.
parameter-seeds = Semillas en cada casa al comienzo. Tantas como casas si no se indica.
parameter-opening = Cómo empieza la primera ronda. alternating: sur juega primero. simultaneous: ambos asientos eligen en secreto y siembran juntos, pulso a pulso.
parameter-empty_opposite = Una última semilla en una casa propia vacía frente a otra vacía. stay: se queda allí. bank: va al granero propio.
parameter-round_end = Cuándo termina una ronda. mover_empty: el asiento al que le toca jugar no tiene semillas en su fila. side_empty: cualquiera de las filas está vacía.
parameter-max_rounds = Rondas como máximo; 1 es una sola ronda, null sigue hasta que un asiento no puede llenar su fila.
parameter-refill = Cómo llena un asiento su fila para la ronda siguiente. left_to_right: casa por casa, completa, mientras alcance el granero. even: una semilla cada vez, vuelta tras vuelta.
parameter-burnt = Una casa quemada en el camino de una mano. skip: no se deja semilla. confiscate: se deja una, y va al granero del rival de quien siembra.
parameter-burnt_recoverable = Si las casas quemadas se determinan de nuevo en cada ronda; false: una vez quemada, quemada toda la serie.
parameter-feeding = Qué alimenta una fila vacía. deposit: una perla cae allí, aunque se capture de nuevo. leaves: todavía queda una después.
parameter-loop_repeat = En qué aparición de una posición desde la última captura se reparten a medias las perlas del tablero; null: solo cuando ambos asientos lo acuerdan.

## Problems: what is wrong in a few words; what it means and what to do

problem-bad_request = La petición está mal formada
    .explanation = El cuerpo, la ruta o la consulta no tienen la forma documentada. `parameter` nombra la parte equivocada, `detail` dice por qué.
problem-unauthorized = Hace falta un token válido
    .explanation = Envía `Authorization: Bearer mp_…` con el token de un jugador o de un asiento. Aquí falta, es desconocido, fue revocado, caducó o no tiene esa forma. Un token que se envía debe ser válido aunque no haga falta ninguno.
problem-not_seated = El token no abre ningún asiento de esta partida
    .explanation = Solo los dos asientos de una partida pueden hacerlo, cada uno con su token.
problem-missing_scope = El token no sirve para esto
    .explanation = El token de un jugador tiene permisos; esta petición necesita uno que le falta. `GET /v1/me` los muestra.
problem-seat_token = El token de un asiento no tiene cuenta
    .explanation = Los tokens de un solo asiento sirven únicamente para su partida. Regístrate con `POST /v1/players`.
problem-not_managed = El bot no juega por ese jugador
    .explanation = `Mancala-Act-As` nombra a alguien que este bot creó con `PUT /v1/managed-players/{ "{" }external_ref{ "}" }`; la gente de otro bot no existe para él.
problem-acting = Esto es asunto del propio bot
    .explanation = Los tokens, y las personas por las que juega un bot, son del bot: envía la petición sin `Mancala-Act-As`.
problem-not_invited = El asiento está reservado para otra persona
    .explanation = El asiento libre de esta partida es para quien fue invitado por su nombre, o para quien traiga el token de invitación.
problem-unknown_player = No existe tal jugador
    .explanation = Nadie tiene este nombre. No se distinguen mayúsculas y minúsculas.
problem-unknown_token = No existe tal token
    .explanation = El jugador no tiene ningún token con este id; puede que se haya revocado.
problem-unknown_webhook = No existe tal webhook
    .explanation = El jugador no tiene ningún webhook con este id. `GET /v1/webhooks` los enumera.
problem-unknown_delivery = El webhook no tiene tal envío
    .explanation = Un envío lleva el id de su evento y se guarda 30 días. Lo que es más antiguo, o nunca se envió, se puede repetir desde un cursor.
problem-not_found = Aquí no hay nada
    .explanation = No existe tal ruta, o no existe tal partida, o es una partida privada que quien pregunta no puede ver.
problem-unknown_ply = El registro no tiene tal fila
    .explanation = `at_ply`, o el `ply` de un tablero, está más allá del final del registro o por debajo de 0, o nombra una fila que se deshizo.
problem-unknown_offer = La partida no tiene tal propuesta
    .explanation = Las propuestas se cuentan desde 1 en cada partida.
problem-unknown_ruleset = No existe tal reglamento
    .explanation = `GET /v1/rulesets` los enumera.
problem-method_not_allowed = Esta ruta no admite este método
    .explanation = La cabecera `Allow` enumera los métodos que admite.
problem-not_acceptable = No se puede dar ninguno de los formatos pedidos
    .explanation = La cabecera `Accept` no nombra ningún formato en que responda esta ruta; `detail` enumera los que tiene.
problem-request_timeout = La petición no llegó a tiempo
    .explanation = El cuerpo no había llegado a su fin cuando se agotó el tiempo de la petición. No se hizo nada; la conexión se cierra. Envíala de nuevo por otra.
problem-payload_too_large = El cuerpo es demasiado grande
    .explanation = Un cuerpo puede tener 64 KiB.
problem-unsupported_media_type = El cuerpo no es JSON
    .explanation = Envía el cuerpo como JSON con `Content-Type: application/json`.
problem-range_not_satisfiable = El archivo no tiene tal parte
    .explanation = `Range` empieza más allá del final del archivo. `Content-Range` dice cuánto mide.
problem-not_started = La partida no ha comenzado
    .explanation = Todavía hay un asiento libre. La partida comienza cuando ambos están ocupados.
problem-game_over = La partida ha terminado
    .explanation = Ya no se puede jugar nada. `game` es su último estado.
problem-stale_ply = La partida ha avanzado
    .explanation = `after_ply` debe ser el número de filas del registro, `current_ply`. `game` es el estado actual: míralo y elige de nuevo. La misma elección que ya se jugó con el mismo `after_ply` recibe en cambio su fila guardada.
problem-already_committed = Una elección comprometida no se puede cambiar
    .explanation = La elección secreta de este asiento en la apertura espera la del otro.
problem-not_your_turn = Es el turno del otro asiento
    .explanation = `to_move`, en el estado de la partida, nombra los asientos que deben elegir.
problem-handle_taken = El nombre ya está en uso
    .explanation = Los nombres son únicos, sin distinguir mayúsculas y minúsculas.
problem-too_many_tokens = El jugador tiene demasiados tokens
    .explanation = Un jugador puede tener 100 tokens sin caducar. Revoca uno: `GET /v1/me/tokens` los enumera.
problem-too_many_webhooks = El jugador tiene demasiados webhooks
    .explanation = Un jugador puede tener 50. Uno sin `game_id` abarca todas las partidas del jugador.
problem-seat_taken = El asiento ya no está libre
    .explanation = Alguien se unió antes, o la partida nunca tuvo un asiento libre.
problem-own_game = Nadie juega contra sí mismo
    .explanation = El asiento libre de una partida es para alguien distinto de quien la creó.
problem-cannot_abort = La partida ha ido demasiado lejos para cancelarla
    .explanation = Una partida se puede cancelar hasta que ambos asientos hayan hecho su primera elección; después, hay que rendirse.
problem-cursor_reset = El cursor apunta a otro registro
    .explanation = La base de datos volvió atrás en el tiempo desde que se dio el cursor. Lee el registro desde el principio (`after=0`) o desde ahora (sin `after`).
problem-key_running = La primera petición con esta clave sigue en curso
    .explanation = Inténtalo de nuevo en un momento: la misma clave con el mismo cuerpo recibe la respuesta de la primera petición.
problem-offer_impossible = La propuesta no se puede hacer ni aceptar aquí
    .explanation = Las reglas o la posición no lo permiten; `detail` dice por qué.
problem-offer_open = Ya hay una propuesta así pendiente
    .explanation = En una partida puede haber una propuesta pendiente de cada clase. Responde a esa, o espera su respuesta.
problem-own_offer = A una propuesta responde el otro asiento
    .explanation = El asiento que hizo una propuesta no puede aceptarla ni rechazarla.
problem-offer_closed = La propuesta ya no espera respuesta
    .explanation = Se respondió antes, o una fila posterior del registro la dejó sin efecto.
problem-in_opening = La apertura no ha terminado
    .explanation = Las jugadas condicionales se pueden dejar cuando ha terminado la apertura de ambos asientos: hasta entonces cada elección es un secreto.
problem-lines_part = Dos líneas se separan en una elección tuya
    .explanation = Las líneas pueden separarse donde elige el otro asiento. Donde la elección es tuya, todas las líneas que llegan al mismo punto deben seguir igual; `parameter` nombra la que no lo hace.
problem-illegal_move = Las reglas no permiten esta elección
    .explanation = `legal_moves` enumera lo que permiten; `index` o `parameter` dice de cuál de varias elecciones se trata.
problem-key_reused = La Idempotency-Key pertenece a otra petición
    .explanation = Una clave representa una petición, con su cuerpo, durante un día. Usa una nueva.
problem-bad_invitation = No se puede invitar a nadie así
    .explanation = El rival no existe, es quien creó la partida, o una partida privada iba a estar abierta a cualquiera.
problem-bad_webhook_url = No se pueden enviar mensajes a esta URL
    .explanation = La URL de un webhook empieza por `https://`, no lleva usuario ni fragmento y conduce a una dirección de la internet pública; `detail` dice qué está mal.
problem-bad_rules = Estas reglas no se pueden jugar
    .explanation = `parameter` nombra el parámetro desconocido, sin sentido para el reglamento o fuera de rango. `GET /v1/rulesets/{ "{" }name{ "}" }` enumera los parámetros.
problem-bad_start = Este comienzo no se puede jugar
    .explanation = El comienzo no se lee como una posición, o incumple una condición que nombra `detail`.
problem-vacation_budget = Las vacaciones son más largas que lo que queda
    .explanation = Un jugador tiene 30 días de vacaciones en cada año natural (UTC), de los que cuenta el tiempo realmente gastado. Unas que pasan de un año a otro toman de ambos. `detail` dice cuánto queda; `GET /v1/me` muestra lo que queda de este año.
problem-rate_limited = Demasiadas peticiones en poco tiempo
    .explanation = Un token, o una dirección sin token, puede enviar por minuto tantas peticiones como dice la cabecera `RateLimit-Policy`. Inténtalo de nuevo tras los segundos de `Retry-After`.
problem-unavailable = El servidor no puede responder ahora mismo
    .explanation = La base de datos no está disponible o está saturada. Inténtalo de nuevo tras los segundos de `Retry-After`; enviar otra vez la misma jugada es seguro.
problem-internal = Algo falla en el servidor
    .explanation = El registro del servidor tiene la causa bajo este `request_id`.
