//! Scratch.
use hilltop_core::*;
use hilltop_method::Recipe;
use hilltop_problem::{Problem, registry, solved_fraction};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
fn run(recipe: &Recipe, problem: &dyn Problem, budget: usize, seed: u64) -> f64 {
    let space = Arc::new(Space::of_box(&problem.bounds()).unwrap());
    let outputs: Arc<[Output]> = [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into();
    let mut p = recipe.build(&space, &outputs).unwrap();
    let mut h = History::new(space.clone(), outputs, seed).with_budget(Some(budget as u64));
    let mut best = f64::INFINITY;
    let b = problem.bounds();
    for t in 0..budget {
        let q = p.propose(&h, 1).unwrap().remove(0);
        let x: Vec<f64> = q.point.iter().zip(&b).map(|(u, (l, hi))| l + u * (hi - l)).collect();
        let y = problem.evaluate(&x).unwrap()[0];
        best = best.min(y);
        if let Some(m) = q.memory {
            h.remember(m);
        }
        h.observe(t as u64, &q.point, &[y]);
    }
    best - problem.optimum().unwrap().value
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let kind = a[1].as_str();
    let recipe = Recipe::parse(&serde_json::from_str(&a[2]).unwrap()).unwrap();
    let threads: usize = std::env::var("T").ok().and_then(|t| t.parse().ok()).unwrap_or(1);
    if kind == "speed" {
        let n: usize = a[3].parse().unwrap();
        let d: usize = a[4].parse().unwrap();
        let p = registry::lookup(&format!("ackley-{d}")).unwrap();
        let b = p.bounds();
        let space = Arc::new(Space::of_box(&b).unwrap());
        let outputs: Arc<[Output]> = [Output {
            name: "f".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let mut h = History::new(space.clone(), outputs.clone(), 1);
        let mut rng = Rng::new(3);
        let ev = |z: &[f64]| {
            let x: Vec<f64> = z.iter().zip(&b).map(|(u, (l, hi))| l + u * (hi - l)).collect();
            p.evaluate(&x).unwrap()[0]
        };
        for t in 0..n {
            let z: Vec<f64> = (0..d).map(|_| rng.uniform()).collect();
            h.observe(t as u64, &z, &[ev(&z)]);
        }
        let mut prop = recipe.build(&space, &outputs).unwrap();
        if let Some(m) = std::env::var("MEM").ok() {
            let _ = m;
        }
        let mut times = vec![];
        for t in n..n + 11 {
            let s = std::time::Instant::now();
            let q = prop.propose(&h, 1).unwrap().remove(0);
            times.push(s.elapsed().as_secs_f64());
            if let Some(m) = q.memory {
                h.remember(m);
            }
            h.observe(t as u64, &q.point, &[ev(&q.point)]);
        }
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let hwm = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
        println!(
            "n {n} d {d} {:?} {hwm}",
            times.iter().map(|t| (t * 1e4).round() / 1e4).collect::<Vec<_>>()
        );
    } else if kind == "bbob" {
        let d: usize = a[3].parse().unwrap();
        let insts: Vec<usize> = a[4].split(',').map(|x| x.parse().unwrap()).collect();
        let fs = [1, 3, 6, 8, 10, 13, 15, 17, 20, 21, 23, 24];
        let jobs: Vec<(usize, usize)> = fs.iter().flat_map(|f| insts.iter().map(move |i| (*f, *i))).collect();
        let next = AtomicUsize::new(0);
        let res = Mutex::new(vec![0.0; jobs.len()]);
        let start = std::time::Instant::now();
        std::thread::scope(|s| {
            for _ in 0..threads {
                s.spawn(|| {
                    loop {
                        let k = next.fetch_add(1, Ordering::Relaxed);
                        if k >= jobs.len() {
                            break;
                        }
                        let (f, i) = jobs[k];
                        let p = registry::lookup(&format!("bbob-f{f}-d{d}-i{i}")).unwrap();
                        let g = run(&recipe, p.as_ref(), 20 * d, i as u64);
                        res.lock().unwrap()[k] = solved_fraction(g);
                    }
                });
            }
        });
        let r = res.into_inner().unwrap();
        print!("d{d} {:.3} ", r.iter().sum::<f64>() / r.len() as f64);
        for (k, f) in fs.iter().enumerate() {
            let v: Vec<f64> = (0..insts.len()).map(|i| r[k * insts.len() + i]).collect();
            print!("{f}:{:.2} ", v.iter().sum::<f64>() / v.len() as f64);
        }
        println!("[{:.1}s] {}", start.elapsed().as_secs_f64(), &a[2]);
    } else {
        let budget: usize = a[3].parse().unwrap();
        let seeds: u64 = a[4].parse().unwrap();
        let p = registry::lookup(kind).unwrap();
        let start = std::time::Instant::now();
        let next = AtomicUsize::new(0);
        let res = Mutex::new(vec![]);
        std::thread::scope(|s| {
            for _ in 0..threads {
                s.spawn(|| {
                    loop {
                        let k = next.fetch_add(1, Ordering::Relaxed);
                        if k >= seeds as usize {
                            break;
                        }
                        let g = run(&recipe, p.as_ref(), budget, k as u64);
                        res.lock().unwrap().push(g);
                    }
                });
            }
        });
        let mut g = res.into_inner().unwrap();
        g.sort_by(f64::total_cmp);
        println!(
            "{kind} median {:.4} [{:.4} {:.4}] [{:.1}s] {}",
            g[g.len() / 2],
            g[0],
            g[g.len() - 1],
            start.elapsed().as_secs_f64(),
            &a[2]
        );
    }
}
