//! The Attach stream with the instances that were started over it.

use std::collections::HashMap;
use std::io::Read;
use std::process::exit;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Request, Streaming};
use tonic_prost::ProstCodec;

use crate::contract::{FromDriver, Hello, Pong, Start, ToDriver, from_driver, to_driver};
use crate::instance::Instance;
use crate::outbox::{self, Outbox};
use crate::{Library, clock};

const DIAL_LIMIT: Duration = Duration::from_secs(10);
const DIAL_PAUSE: Duration = Duration::from_millis(50);
const METHOD: &str = "/probe.driver.v1.Orchestrator/Attach";
const USAGE: &str = "usage: driver --connect HOST:PORT --token T";

/// Runs a driver until its stream or its standard input ends.
pub fn run(library: Library) -> ! {
    let Some((address, token)) = arguments() else {
        eprintln!("{USAGE}");
        exit(2);
    };
    let library: &'static Library = Box::leak(Box::new(library));
    std::thread::spawn(exit_with_parent);
    let ended = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
        .and_then(|runtime| runtime.block_on(attach(library, &address, token)));
    if let Err(problem) = ended {
        eprintln!("{} driver: {problem}", library.family);
    }
    exit(0);
}

/// Waits for the end of standard input, which the orchestrator holds open: it also ends when that was killed.
fn exit_with_parent() {
    let mut buffer = [0; 64];
    while std::io::stdin().read(&mut buffer).is_ok_and(|read| read > 0) {}
    exit(0);
}

fn arguments() -> Option<(String, String)> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut named: HashMap<&str, &str> = HashMap::new();
    for pair in given.chunks(2) {
        named.insert(pair.first()?.as_str(), pair.get(1)?.as_str());
    }
    Some(((*named.get("--connect")?).into(), (*named.get("--token")?).into()))
}

async fn attach(library: &'static Library, address: &str, token: String) -> Result<(), String> {
    let (sending, sent) = mpsc::unbounded_channel();
    let hello = Hello {
        token,
        family: library.family.into(),
        version: library.version.clone(),
        runtime: format!("rust {}", env!("PROBE_RUSTC")),
        roles: library.roles.iter().map(ToString::to_string).collect(),
        profiles: library.profiles.iter().map(|profile| profile.name.to_owned()).collect(),
    };
    send(&sending, from_driver::Message::Hello(hello));
    let incoming = tokio::time::timeout(DIAL_LIMIT, dial(address, UnboundedReceiverStream::new(sent)))
        .await
        .map_err(|_| format!("no orchestrator at {address} within {} s", DIAL_LIMIT.as_secs()))??;
    let (events, queued) = mpsc::unbounded_channel();
    tokio::spawn(outbox::send(queued, sending.clone()));
    Session { library, sending, events, instances: HashMap::new() }.serve(incoming).await
}

async fn dial(address: &str, sent: UnboundedReceiverStream<FromDriver>) -> Result<Streaming<ToDriver>, String> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(|error| error.to_string())?;
    let channel = loop {
        match endpoint.connect().await {
            Ok(channel) => break channel,
            Err(_) => tokio::time::sleep(DIAL_PAUSE).await,
        }
    };
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.map_err(|error| error.to_string())?;
    let codec: ProstCodec<FromDriver, ToDriver> = ProstCodec::default();
    let reply = grpc.streaming(Request::new(sent), PathAndQuery::from_static(METHOD), codec).await;
    Ok(reply.map_err(|status| status.to_string())?.into_inner())
}

fn send(sending: &mpsc::UnboundedSender<FromDriver>, message: from_driver::Message) {
    let _ = sending.send(FromDriver { message: Some(message) }); // fails only once the stream is over
}

struct Session {
    library: &'static Library,
    sending: mpsc::UnboundedSender<FromDriver>,
    events: Outbox,
    instances: HashMap<String, Instance>,
}

impl Session {
    async fn serve(mut self, mut incoming: Streaming<ToDriver>) -> Result<(), String> {
        loop {
            match incoming.message().await {
                Ok(Some(ToDriver { message: Some(order) })) => self.handle(order),
                Ok(Some(ToDriver { message: None })) => return Err("an unknown message".into()),
                Ok(None) => return Err("the stream ended".into()),
                Err(status) => return Err(format!("the stream ended: {status}")),
            }
        }
    }

    fn handle(&mut self, order: to_driver::Message) {
        match order {
            to_driver::Message::Ping(ping) => {
                send(&self.sending, from_driver::Message::Pong(Pong { id: ping.id, clock_us: clock() }));
            }
            to_driver::Message::Start(start) => self.start(start),
            to_driver::Message::Stop(stop) => {
                // An unknown instance has ended already and needs no answer.
                if let Some(instance) = self.instances.remove(&stop.instance) {
                    tokio::spawn(instance.stop(stop.deadline_ms));
                }
            }
            to_driver::Message::Pace(pace) => {
                if let Some(instance) = self.instances.get(&pace.instance) {
                    instance.set_interval(pace.interval_ms);
                }
            }
            to_driver::Message::Handle(order) => {
                if let Some(instance) = self.instances.get(&order.instance) {
                    instance.set_handler(order.handler_ms);
                }
            }
        }
    }

    fn start(&mut self, start: Start) {
        if let Some(running) = self.instances.get(&start.instance).filter(|running| !running.ended()) {
            running.notice("a second start under this name was ignored");
            return;
        }
        let instance = Instance::new(&start, self.events.clone());
        self.instances.insert(start.instance.clone(), instance.clone());
        tokio::spawn(instance.open(self.library, Arc::new(start)));
    }
}
