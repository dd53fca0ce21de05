//! Who may wait for a connection, what it waits for, and how long: bodies that nobody has read to their
//! end, and the next request after an answer.
//!
//! actix limits the time of a connection's first head only, and it goes on reading a
//! chunked body that has lost its reader for as long as somebody sends. Here the
//! later heads have their time too, and a body keeps its reader until the answer is
//! out: then actix listens for another second and closes. An answer that its client
//! does not read has its time as well.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Extensions, Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, ResponseError, rt, web};
use futures_util::Stream;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// Bytes of an answer that are handed on at a time: what is not read stays where it is,
/// in one piece that is perhaps shared, and is not copied into the connection.
const PIECE: usize = 32 * 1024;
/// Connections that may wait to be let in; the system may allow fewer.
const BACKLOG: i32 = 4096;
/// Bytes that the system takes off our hands before they can be sent.
const UNSENT: u32 = 128 * 1024;

/// A connection as its requests know it.
struct Connection {
    /// Another handle of its socket.
    socket: Arc<TcpStream>,
    /// How long it may be without a request.
    patience: Duration,
    /// How long its client may take nothing of an answer.
    unread: Duration,
    /// Waits for the next request.
    watch: Cell<Option<JoinHandle<()>>>,
}

/// Listens where `bind` says.
pub(crate) fn listen(bind: &str) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(bind)?;
    // The standard library lets no more than 128 wait to be let in.
    socket2::SockRef::from(&listener).listen(BACKLOG)?;
    Ok(listener)
}

/// Prepares every connection: between two requests it is given `patience`, and
/// `unread` while its client takes nothing of what is sent.
pub(crate) fn prepare(patience: Duration, unread: Duration) -> impl Fn(&dyn Any, &mut Extensions) {
    move |socket, data| {
        let stream = socket.downcast_ref::<rt::net::TcpStream>();
        if let Some(stream) = stream
            && let Err(cause) = give_up_after(stream, unread)
        {
            tracing::warn!(%cause, "a connection has no end to what its client leaves unread");
        }
        let socket = stream.map(|stream| stream.as_fd().try_clone_to_owned());
        match socket {
            Some(Ok(socket)) => {
                data.insert(Rc::new(Connection {
                    socket: Arc::new(socket.into()),
                    patience,
                    unread,
                    watch: Cell::default(),
                }));
            }
            Some(Err(cause)) => tracing::warn!(%cause, "a connection cannot be watched"),
            None => {}
        }
    }
}

/// The system ends a connection whose other end is gone, or silent and takes nothing.
/// ([`Unread`] is for one that goes on talking.)
#[cfg(any(target_os = "linux", target_os = "android"))]
fn give_up_after(stream: &rt::net::TcpStream, unread: Duration) -> io::Result<()> {
    let socket = socket2::SockRef::from(stream);
    socket.set_tcp_notsent_lowat(UNSENT)?;
    socket.set_tcp_user_timeout(Some(unread))
}

/// Other systems have their own idea of how long that is.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn give_up_after(_: &rt::net::TcpStream, _: Duration) -> io::Result<()> {
    Ok(())
}

impl Connection {
    fn stop_watching(&self) {
        if let Some(watch) = self.watch.take() {
            watch.abort();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop_watching();
    }
}

/// A request's turn on its connection, until its answer is sent.
struct Turn(Rc<Connection>);

impl Turn {
    fn new(connection: &Rc<Connection>) -> Turn {
        connection.stop_watching();
        Turn(connection.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // At the end of the server there is nothing to spawn a task on.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let socket = Arc::downgrade(&self.0.socket);
        let patience = self.0.patience;
        let watch = runtime.spawn(async move {
            tokio::time::sleep(patience).await;
            if let Some(socket) = socket.upgrade() {
                // It may have ended by itself just now.
                let _ = socket.shutdown(Shutdown::Both);
            }
        });
        self.0.watch.set(Some(watch));
    }
}

/// A request's body, shared by who reads it and who waits for its end.
#[derive(Clone)]
pub(super) struct Coming {
    payload: Rc<RefCell<Payload>>,
    awaited: Rc<Cell<bool>>,
}

impl Coming {
    /// Whether it is the client that is waited for.
    pub(super) fn is_awaited(&self) -> bool {
        self.awaited.get()
    }
}

impl Stream for Coming {
    type Item = Result<web::Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut *self.payload.borrow_mut()).poll_next(cx);
        self.awaited.set(next.is_pending());
        next
    }
}

/// The middleware: outside of all that may answer before a body has ended.
pub(crate) async fn hold(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let turn = request.conn_data::<Rc<Connection>>().map(Turn::new);
    let coming = match request.take_payload() {
        Payload::None => None,
        payload => {
            let coming = Coming {
                payload: Rc::new(RefCell::new(payload)),
                awaited: Rc::default(),
            };
            request.extensions_mut().insert(coming.clone());
            request.set_payload(Payload::Stream {
                payload: Box::pin(coming.clone()),
            });
            Some(coming)
        }
    };
    let kept = Rc::new(Kept {
        _coming: coming,
        turn,
    });
    match next.call(request).await {
        Ok(response) => Ok(response.map_body(|_, body| held(body.boxed(), kept))),
        Err(error) => Err(Held { error, kept }.into()),
    }
}

/// What lasts until an answer is sent.
struct Kept {
    _coming: Option<Coming>,
    turn: Option<Turn>,
}

fn held(body: BoxBody, kept: Rc<Kept>) -> BoxBody {
    // Told now: afterwards some bodies say what is left.
    let is_small = matches!(body.size(), BodySize::Sized(size) if size <= PIECE as u64);
    BoxBody::new(HeldBody {
        body,
        is_small,
        rest: web::Bytes::new(),
        unread: None,
        kept,
    })
}

/// Watches an answer on its way, which neither actix nor a deadline does.
struct Unread {
    /// When the last piece went into the connection, where there is no room for another.
    since: Rc<Cell<Option<Instant>>>,
    _watch: AbortOnDropHandle<()>,
}

impl Unread {
    fn new(connection: &Connection) -> Unread {
        let since = Rc::<Cell<Option<Instant>>>::default();
        let (seen, unread) = (since.clone(), connection.unread);
        let socket = Arc::downgrade(&connection.socket);
        let watch = rt::spawn(async move {
            loop {
                let from = seen.get().unwrap_or_else(Instant::now);
                tokio::time::sleep_until(from + unread).await;
                if seen.get().is_some_and(|since| since.elapsed() >= unread) {
                    break;
                }
            }
            if let Some(socket) = socket.upgrade() {
                let _ = socket.shutdown(Shutdown::Both);
            }
        });
        Unread {
            since,
            _watch: AbortOnDropHandle::new(watch),
        }
    }
}

struct HeldBody {
    body: BoxBody,
    /// Whether it is a single piece, which is followed by the wait for the next request,
    /// which has its time.
    is_small: bool,
    /// What has come of it and is not handed on yet.
    rest: web::Bytes,
    unread: Option<Unread>,
    kept: Rc<Kept>,
}

impl MessageBody for HeldBody {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<web::Bytes, Self::Error>>> {
        if let Some(unread) = &self.unread {
            unread.since.set(None);
        }
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_next(cx)) {
                Some(Ok(bytes)) => self.rest = bytes,
                end => return Poll::Ready(end),
            }
        }
        let length = self.rest.len().min(PIECE);
        if self.unread.is_none()
            && !self.is_small
            && let Some(Turn(connection)) = &self.kept.turn
        {
            self.unread = Some(Unread::new(connection));
        }
        if let Some(unread) = &self.unread {
            unread.since.set(Some(Instant::now()));
        }
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

/// An error whose answer keeps the same.
struct Held {
    error: Error,
    kept: Rc<Kept>,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl ResponseError for Held {
    fn error_response(&self) -> HttpResponse {
        let answer = self.error.error_response();
        answer.map_body(|_, body| held(body, self.kept.clone()))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn many_wait_to_be_let_in() -> io::Result<()> {
        let listener = listen("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        // Nobody lets them in; where there is no room left a client is not answered.
        let patience = Duration::from_secs(10);
        let connect = |_| TcpStream::connect_timeout(&address, patience);
        let waiting: Vec<TcpStream> = (0..500).map(connect).collect::<io::Result<_>>()?;
        assert_eq!(waiting.len(), 500);
        Ok(())
    }
}
