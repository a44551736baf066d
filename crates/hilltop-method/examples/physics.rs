//! interim
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout)]
use hilltop_core::physics::{Collocation, Equation, Partial};
use hilltop_core::{Goal, History, Knowledge, Model as _, Output, Space};
use hilltop_method::{PinnBo, Recipe};
use std::f64::consts::PI;
use std::sync::Arc;
use std::time::Instant;

type R = Box<dyn Fn(&[f64], &[f64], &mut [f64]) -> f64 + Send + Sync>;
struct Law {
    partials: Vec<Partial>,
    bounds: Vec<(f64, f64)>,
    linear: bool,
    f: R,
}
impl std::fmt::Debug for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("law")
    }
}
impl Equation for Law {
    fn partials(&self) -> &[Partial] {
        &self.partials
    }
    fn is_linear(&self) -> bool {
        self.linear
    }
    fn residual(&self, z: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        let x: Vec<f64> = z.iter().zip(&self.bounds).map(|(z, (l, h))| l + z * (h - l)).collect();
        let w: Vec<f64> = self
            .partials
            .iter()
            .map(|p| {
                p.axes()
                    .iter()
                    .map(|&(a, k)| (self.bounds[a].1 - self.bounds[a].0).powi(-(k as i32)))
                    .product()
            })
            .collect();
        let j: Vec<f64> = jet.iter().zip(&w).map(|(j, w)| j * w).collect();
        let r = (self.f)(&x, &j, slopes);
        slopes.iter_mut().zip(&w).for_each(|(s, w)| *s *= w);
        r
    }
    fn text(&self) -> String {
        String::new()
    }
}
struct P {
    bounds: Vec<(f64, f64)>,
    f: Box<dyn Fn(&[f64]) -> f64>,
    laws: Vec<Law>,
    best: f64,
}
fn problem(name: &str) -> P {
    let v = Partial::value;
    match name {
        "dropwave" => {
            let b = vec![(-5.12, 5.12); 2];
            P {
                best: -1.0,
                bounds: b.clone(),
                f: Box::new(|x| {
                    let r2 = x[0] * x[0] + x[1] * x[1];
                    -(1.0 + (12.0 * r2.sqrt()).cos()) / (0.5 * r2 + 2.0)
                }),
                laws: vec![Law {
                    partials: vec![Partial::of(&[0]), Partial::of(&[1])],
                    bounds: b,
                    linear: true,
                    f: Box::new(|x, j, s| {
                        s[0] = -x[1];
                        s[1] = x[0];
                        s[0] * j[0] + s[1] * j[1]
                    }),
                }],
            }
        }
        "styblinski" => {
            let b = vec![(-5.0, 5.0); 10];
            P {
                best: -391.661657,
                bounds: b.clone(),
                f: Box::new(|x| x.iter().map(|x| 0.5 * (x.powi(4) - 16.0 * x * x + 5.0 * x)).sum()),
                laws: vec![Law {
                    partials: (0..10).map(|a| Partial::of(&[a])).collect(),
                    bounds: b,
                    linear: true,
                    f: Box::new(|x, j, s| {
                        s.fill(1.0);
                        j.iter().sum::<f64>() - x.iter().map(|x| 2.0 * x.powi(3) - 16.0 * x + 2.5).sum::<f64>()
                    }),
                }],
            }
        }
        "rastrigin" => {
            let b = vec![(-5.12, 5.12); 20];
            P {
                best: 0.0,
                bounds: b.clone(),
                f: Box::new(|x| 200.0 + x.iter().map(|x| x * x - 10.0 * (2.0 * PI * x).cos()).sum::<f64>()),
                laws: vec![Law {
                    partials: std::iter::once(v()).chain((0..20).map(|a| Partial::of(&[a]))).collect(),
                    bounds: b,
                    linear: true,
                    f: Box::new(|x, j, s| {
                        s[0] = -1.0;
                        for i in 0..20 {
                            s[i + 1] = 0.5 * x[i];
                        }
                        let g = 10.0
                            * x.iter()
                                .map(|x| (2.0 * PI * x).cos() + PI * x * (2.0 * PI * x).sin())
                                .sum::<f64>()
                            - 200.0;
                        s.iter().zip(j).map(|(a, b)| a * b).sum::<f64>() - g
                    }),
                }],
            }
        }
        "cosine" => {
            let b = vec![(-1.0, 1.0); 50];
            P {
                best: -3.1506101,
                bounds: b.clone(),
                f: Box::new(|x| x.iter().map(|x| x * x + 0.1 * (5.0 * PI * x).cos()).sum::<f64>()),
                laws: (0..50)
                    .map(|a| Law {
                        partials: vec![Partial::of(&[a])],
                        bounds: b.clone(),
                        linear: true,
                        f: Box::new(move |x, j, s| {
                            s[0] = 1.0;
                            j[0] - 2.0 * x[a] + 0.5 * PI * (5.0 * PI * x[a]).sin()
                        }),
                    })
                    .collect(),
            }
        }
        "michalewicz" => {
            let b = vec![(0.0, PI); 30];
            P {
                best: -29.630883,
                bounds: b.clone(),
                f: Box::new(|x| {
                    -x.iter()
                        .enumerate()
                        .map(|(i, x)| x.sin() * ((i + 1) as f64 * x * x / PI).sin().powi(20))
                        .sum::<f64>()
                }),
                laws: vec![Law {
                    partials: std::iter::once(v()).chain((0..30).map(|a| Partial::of(&[a]))).collect(),
                    bounds: b,
                    linear: true,
                    f: Box::new(|x, j, s| {
                        s[0] = -1.0;
                        for i in 0..30 {
                            let k = (i + 1) as f64;
                            let h = 1.0 / (1.0 / x[i].tan() + (40.0 * k * x[i] / PI) / (k * x[i] * x[i] / PI).tan());
                            s[i + 1] = h;
                        }
                        s.iter().zip(j).map(|(a, b)| a * b).sum::<f64>()
                    }),
                }],
            }
        }
        "oscillator" => {
            let b = vec![(0.0, 10.0)];
            P {
                best: -1.0,
                bounds: b.clone(),
                f: Box::new(|x| {
                    let t = x[0];
                    (-0.15 * t).exp() * (2.0 * t + 0.7).cos()
                }),
                laws: vec![Law {
                    partials: vec![v(), Partial::of(&[0]), Partial::of(&[0, 0])],
                    bounds: b,
                    linear: true,
                    f: Box::new(|_, j, s| {
                        s.copy_from_slice(&[4.0225, 0.3, 1.0]);
                        s.iter().zip(j).map(|(a, b)| a * b).sum()
                    }),
                }],
            }
        }
        "beam" => {
            let b = vec![(0.0, 1.0)];
            fn w(x: f64) -> f64 {
                (2.0 * x).exp() * (20.0 * x).sin()
                    + (4.0 * PI * (2.0 * x).exp()).sin()
                    + 0.4 * x.powi(3)
                    + 0.2 * x * x
                    + 6.0
            }
            // q = (EI w'')'' with EI = e^x/rho, rho = w'': EI w'' = e^x, so in terms of f: EI f'' = e^x; use d2(EI*f'')=e^x
            P {
                best: 0.0576036640,
                bounds: b.clone(),
                f: Box::new(|x| w(x[0])),
                laws: vec![Law {
                    partials: vec![
                        Partial::of(&[0, 0]),
                        Partial::of(&[0, 0, 0]),
                        Partial::of(&[0, 0, 0, 0]),
                    ],
                    bounds: b,
                    linear: true,
                    f: Box::new(|x, j, s| {
                        let x = x[0];
                        let w2 = |x: f64| {
                            let e = (2.0 * x).exp();
                            let a = 4.0 * PI * e;
                            e * ((4.0 - 400.0) * (20.0 * x).sin() + 80.0 * (20.0 * x).cos())
                                + (4.0 * a * a.cos() - 4.0 * a * a * a.sin())
                                + 2.4 * x
                                + 0.4
                        };
                        let ei = |x: f64| x.exp() / w2(x);
                        let h = 1e-4;
                        let (m, c, p) = (ei(x - h), ei(x), ei(x + h));
                        let d1 = (p - m) / (2.0 * h);
                        let d2 = (p - 2.0 * c + m) / (h * h);
                        s.copy_from_slice(&[d2, 2.0 * d1, c]);
                        s.iter().zip(j).map(|(a, b)| a * b).sum::<f64>() - x.exp()
                    }),
                }],
            }
        }
        "harmonic" => {
            let b = vec![(0.0, 2.0 * PI); 2];
            P {
                best: f64::NAN,
                bounds: b.clone(),
                f: Box::new(|x| {
                    -((0.7 * x[0]).cosh() * (0.7 * x[1] + 1.0).sin() * 0.2
                        + (0.5 * x[1]).sinh() * (0.5 * x[0]).cos()
                        + 0.1 * x[0] * x[1])
                }),
                laws: vec![Law {
                    partials: vec![Partial::of(&[0, 0]), Partial::of(&[1, 1])],
                    bounds: b,
                    linear: true,
                    f: Box::new(|_, j, s| {
                        s.fill(1.0);
                        j[0] + j[1]
                    }),
                }],
            }
        }
        _ => panic!(),
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (name, method, t, s0, n) = (
        &a[1],
        &a[2],
        a[3].parse::<u64>().unwrap(),
        a[4].parse::<u64>().unwrap(),
        a[5].parse::<u64>().unwrap(),
    );
    let rows = a.get(6).map_or(1000, |x| x.parse().unwrap());
    let p = problem(name);
    let best = if p.best.is_nan() {
        let mut b = f64::INFINITY;
        for i in 0..=400 {
            for j in 0..=400 {
                b = b.min((p.f)(&[2.0 * PI * i as f64 / 400.0, 2.0 * PI * j as f64 / 400.0]));
            }
        }
        b
    } else if name == "oscillator" {
        (0..=100000)
            .map(|i| (p.f)(&[i as f64 * 1e-4]))
            .fold(f64::INFINITY, f64::min)
    } else {
        p.best
    };
    let equations = p.laws.into_iter().map(|l| Arc::new(l) as Arc<dyn Equation>).collect();
    let knowledge = Arc::new(Knowledge {
        equations,
        points: rows,
        collocation: Collocation::Fixed,
    });
    let mut all = vec![];
    for seed in s0..s0 + n {
        let space = Arc::new(Space::of_box(&p.bounds).unwrap());
        let outputs: Arc<[Output]> = vec![Output {
            name: "f".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let mut proposer = if method == "pinn-bo" {
            PinnBo {
                rows,
                ..PinnBo::default()
            }
            .build(Some(&knowledge))
            .unwrap()
        } else {
            Recipe::parse(&method.as_str().into())
                .unwrap()
                .build(&space, &outputs)
                .unwrap()
        };
        let mut h = History::new(space, outputs, seed).with_budget(Some(t));
        let start = Instant::now();
        let (mut b, mut hit) = (f64::INFINITY, 0);
        for trial in 0..t {
            let q = proposer.propose(&h, 1).unwrap().remove(0);
            q.memory.into_iter().for_each(|m| h.remember(m));
            let x: Vec<f64> = q
                .point
                .iter()
                .zip(&p.bounds)
                .map(|(u, (l, hi))| l + u * (hi - l))
                .collect();
            let y = (p.f)(&x);
            h.observe(trial, &q.point, &[y]);
            if y < b {
                b = y;
            }
            if hit == 0 && b - best <= 0.01 * best.abs().max(1e-9) {
                hit = trial + 1;
            }
            if std::env::var("V").is_ok() {
                let w = proposer.model(&h).ok().flatten().and_then(|m| {
                    m.as_any()
                        .downcast_ref::<hilltop_surrogate::physics::PhysicsModel>()
                        .map(|m| (m.evidence().clone(), m.memory()))
                });
                println!("{trial} y {y:.4} best {b:.5} {:?}", w);
            }
        }
        println!(
            "{name} {method} seed {seed}: best {b:.5} gap {:.3e} hit {hit} {:.1}s",
            b - best,
            start.elapsed().as_secs_f64()
        );
        all.push((b - best, if hit == 0 { 9999 } else { hit }));
    }
    let mut g: Vec<f64> = all.iter().map(|x| x.0).collect();
    g.sort_by(f64::total_cmp);
    let mut hts: Vec<u64> = all.iter().map(|x| x.1).collect();
    hts.sort();
    println!(
        "== {name} {method} T={t}: median gap {:.3e} median hit {}",
        g[g.len() / 2],
        hts[hts.len() / 2]
    );
}
