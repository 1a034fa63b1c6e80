(* The reference samplers discrete_laplace, geometric and discrete_gaussian of dpmatrix.randomness.discrete, over fair
   coins: each has the law that its docstring states, and ends with probability one. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum exp.
Import GRing.Theory Num.Theory Order.TTheory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import samplers.mass_functions samplers.bernoulli.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section sums.
Variable R : realType.

Lemma esum_geometric (q : R) : 0 <= q < 1 -> (\esum_(n in setT) (q ^+ n)%:E = ((1 - q)^-1)%:E)%E.
Proof.
move=> /andP[q0 q1]; have h : series (geometric 1 q) --> (1 * (1 - q)^-1).
  by apply: cvg_geometric_series; rewrite ger0_norm.
transitivity (\sum_(n <oo) (q ^+ n)%:E)%E.
  rewrite nneseries_esum; first by congr esum; apply/seteqP.
  by move=> n _; rewrite lee_fin exprn_ge0.
rewrite -[RHS](congr1 EFin (mul1r _)) -(cvg_lim (@Rhausdorff R) h) -EFin_lim.
  by congr (lim _); apply/funext => n; rewrite /= /series /= sumEFin; congr EFin; apply: eq_bigr => i _; rewrite mul1r.
by apply/cvg_ex; exists (1 * (1 - q)^-1).
Qed.

Lemma esum_residues (t : nat) (h : nat -> \bar R) : (0 < t)%N -> (forall x, (0 <= h x)%E) ->
  (\esum_(x in setT) h x = \sum_(u < t) \esum_(v in setT) h (u + t * v)%N)%E.
Proof.
move=> t0 h0; transitivity (\esum_(u in `I_t) \esum_(v in setT) h (u + t * v)%N)%E; last first.
  by rewrite esum_fset // => [|i _]; [rewrite -fsbig_ord | exact: esum_ge0].
rewrite esum_esum //; apply: (reindex_esum (`I_t `*`` (fun=> setT)) _ (fun k : nat * nat => (k.1 + t * k.2)%N)).
split=> //=.
- move=> [u v] [u' v'] /set_mem[/= ut _] /set_mem[/= u't _] /= e.
  have := congr1 (modn^~ t) e; have := congr1 (divn^~ t) e.
  by rewrite !(addnC _ (t * _)%N) ![(t * _)%N]mulnC !divnMDl // !modnMDl !modn_small // !divn_small // !addn0 => -> ->.
- by move=> x _; exists (x %% t, x %/ t)%N; [split=> //=; exact: ltn_pmod | rewrite /= addnC mulnC -divn_eq].
Qed.

Lemma esum_one (T : choiceType) (f : T -> \bar R) x : (0 <= f x)%E -> (forall y, y != x -> f y = 0%E) ->
  (\esum_(y in setT) f y = f x)%E.
Proof.
move=> fx f0; rewrite (esumID [set x]) => [|y _]; last by have [->|/f0 ->] := eqVneq y x.
rewrite setTI esum_set1 // esum1 ?adde0 // => y [_ /= yx].
by apply: f0; apply/eqP.
Qed.

Lemma esum_int (f : int -> \bar R) : (forall z, (0 <= f z)%E) ->
  (\esum_(z in setT) f z = \esum_(n in setT) f (Posz n) + \esum_(n in setT) f (Negz n))%E.
Proof.
move=> f0; rewrite (esumID (Posz @` setT)) // setTI (_ : setT `&` _ = Negz @` setT).
  by rewrite !esum_image //; move=> ? ? _ _ [].
apply/seteqP; split=> [[n|n] [_ h]|_ [n _ <-]]; last 2 first.
- by exists n.
- by split=> // -[m _].
by case: h; exists n.
Qed.

Lemma esum_two_sided (q : R) : 0 <= q < 1 ->
  (\esum_(z in setT) (q ^+ `|z : int|%N)%:E = ((1 + q) / (1 - q))%:E)%E.
Proof.
move=> q01; have /andP[q0 q1] := q01; rewrite esum_int => [|z]; last by rewrite lee_fin exprn_ge0.
rewrite esum_geometric // (eq_esum (b := fun n => (q%:E * (q ^+ n)%:E)%E)) => [|n _]; last by rewrite -EFinM -exprS.
rewrite esum_scale // ?esum_geometric // => [|n]; last by rewrite lee_fin exprn_ge0.
by rewrite -EFinM -EFinD; congr EFin; rewrite mulrDl mul1r.
Qed.
End sums.

Arguments bernoulli_exp : simpl never.

Section discrete_laplace.
Variable R : realType.
Local Notation ret := (@ret R _).
Let p : R := expR (- 1).

Lemma p01 : 0 <= p < 1.
Proof. by rewrite ltW ?expR_gt0 //= -expR0 ltr_expR oppr_lt0. Qed.

(* the number of successes of probability exp(-1) before the first failure *)
Fixpoint counting (n c : nat) : mass R nat_choiceType :=
  if n is n'.+1 then bind (bernoulli_exp R 1 0 1) (fun more : bool => if more then counting n' c.+1 else ret c)
  else fun=> 0%E.
Definition quotient : mass R nat_choiceType := fun v => lim (fun n => counting n 0 v).

Lemma one_more : bernoulli_exp R 1 0 1 = coin p.
Proof. by rewrite bernoulli_exp_law // mul0r addr0. Qed.

Lemma countingE n c v : counting n c v = ((c <= v < c + n)%N%:R * (p ^+ (v - c) * (1 - p)))%:E.
Proof.
have /andP[p0 p1] := p01; elim: n c => [|n IH] c /=; first by rewrite addn0 ltnNge andbN mul0r.
rewrite one_more bind_coin; [|by rewrite p0 ltW|case; rewrite ?IH lee_fin ?ler0n //]; last first.
  by rewrite !mulr_ge0 ?ler0n ?exprn_ge0 // subr_ge0 ltW.
rewrite IH /mass_functions.ret -!EFinM -EFinD; congr EFin; rewrite addnS -addSn.
have [cv|vc|<-] := ltngtP c v.
- rewrite -(subnSK cv) exprS; set y := p ^+ _; rewrite /= mulr0 addr0; set x := _%:R; ring.
- by rewrite !mul0r !mulr0 addr0.
- by rewrite subnn expr0 leq_addr mul0r mulr0 add0r mulr1 !mul1r.
Qed.

Lemma quotient_law : (forall v, quotient v = (p ^+ v * (1 - p))%:E) /\ is_law quotient.
Proof.
have /andP[p0 p1] := p01; have qE v : quotient v = (p ^+ v * (1 - p))%:E.
  rewrite /quotient; apply: cvg_lim => //; apply: (@cvg_near_cst _ _ _ _ _ _).
  exists v.+1 => // n /= vn; rewrite countingE subn0 add0n vn mul1r //.
split=> //; split=> [v|]; first by rewrite qE lee_fin mulr_ge0 ?exprn_ge0 // subr_ge0 ltW.
rewrite (eq_esum (b := fun v => ((1 - p)%:E * (p ^+ v)%:E)%E)) => [|v _]; last by rewrite qE mulrC EFinM.
rewrite esum_scale ?subr_ge0 1?ltW // => [|v]; last by rewrite lee_fin exprn_ge0.
by rewrite esum_geometric ?p0 // -EFinM mulfV // subr_eq0 eq_sym lt_eqF.
Qed.

(* discrete_laplace t/s *)
Definition signed (neg : bool) (m : nat) : option int :=
  if neg && (m == 0%N) then None else Some (if neg then - m%:Z else m%:Z).
Definition laplace_given (t s u : nat) : mass R [choiceType of option int] :=
  bind (bernoulli_exp R 0 u t) (fun keep : bool =>
    if keep then bind quotient (fun v => bind (coin 2%:R^-1) (fun neg => ret (signed neg ((u + t * v) %/ s))))
    else ret None).
Definition laplace_attempt (t s : nat) : mass R [choiceType of option int] :=
  bind (uniform_below R t) (laplace_given t s).
Definition discrete_laplace (t s : nat) : mass R int_choiceType := loop (laplace_attempt t s).

Lemma fair_sign (m : nat) (z : int) :
  bind (coin 2%:R^-1) (fun neg => ret (signed neg m)) (Some z) = ((m == `|z|%N)%:R / 2%:R)%:E.
Proof.
rewrite bind_coin; [|exact: half01|by move=> b; rewrite lee_fin ler0n].
rewrite /mass_functions.ret -!EFinM -EFinD; congr EFin.
have -> : 1 - 2%:R^-1 = 2%:R^-1 :> R by field.
rewrite -mulrDr mulrC; congr (_ / _); rewrite -natrD; congr _%:R.
case: z m => [[|n]|n] [|m] //=; rewrite addn0; congr nat_of_bool.
Qed.

Section scale.
Variables (t s : nat).
Hypotheses (t0 : (0 < t)%N) (s0 : (0 < s)%N).
Let rho : R := expR (- t%:R^-1).
Let q : R := expR (- (s%:R / t%:R)).

Lemma expRN_nat (x : R) n : expR (- x) ^+ n = expR (- (n%:R * x)).
Proof. by elim: n => [|n IH]; rewrite ?expr0 ?mul0r ?oppr0 ?expR0 // exprS IH -expRD -opprD [n.+1%:R]mulrS mulrDl mul1r. Qed.

Lemma rho0 : 0 < rho. Proof. exact: expR_gt0. Qed.

Lemma q01 : 0 <= q < 1.
Proof. by rewrite ltW ?expR_gt0 //= -expR0 ltr_expR oppr_lt0 divr_gt0 ?ltr0n. Qed.

Lemma laplace_given_is_law u : (u < t)%N -> is_law (laplace_given t s u).
Proof.
move=> ut; rewrite /laplace_given bernoulli_exp_law // add0r; apply: bind_law => [|[]]; last exact: ret_law.
  by apply: coin_law; apply: expRN01; rewrite divr_ge0 ?ler0n.
apply: bind_law => [|v]; first exact: (proj2 quotient_law).
by apply: bind_law => [|neg]; [exact/coin_law/half01 | exact: ret_law].
Qed.

Lemma laplace_attempt_is_law : is_law (laplace_attempt t s).
Proof.
have [uE ul] := uniform_below_law R t0; apply: bind_law_where => // u.
by have [ut|tu] := ltnP u t; [right; exact: laplace_given_is_law | left; rewrite uE ltnNge tu mul0r].
Qed.

(* the probability that U + t V is x, that the sign is the one wanted, and U is kept *)
Let weight : R := (1 - p) / (2%:R * t%:R).
Let total : R := weight * \sum_(i < s) rho ^+ i.

Lemma total_gt0 : 0 < total.
Proof.
have /andP[_ p1] := p01; rewrite mulr_gt0 // ?divr_gt0 ?subr_gt0 ?mulr_gt0 ?ltr0n //.
case: s s0 => // s' _; rewrite big_ord_recl expr0 ltr_spaddl // sumr_ge0 // => i _.
exact/ltW/exprn_gt0/rho0.
Qed.

Lemma laplace_attempt_some z : laplace_attempt t s (Some z) = (total * q ^+ `|z|%N)%:E.
Proof.
have [uE ul] := uniform_below_law R t0; have /andP[p0 p1] := p01.
pose h (x : nat) : \bar R := (weight * rho ^+ x * ((x %/ s)%N == `|z|%N)%:R)%:E.
have w0 : 0 <= weight by rewrite divr_ge0 ?subr_ge0 ?mulr_ge0 ?ler0n // ltW.
have h0 x : (0 <= h x)%E.
  rewrite lee_fin; apply: mulr_ge0; last exact: ler0n.
  by apply: mulr_ge0 => //; exact/exprn_ge0/ltW/rho0.
transitivity (\sum_(u < t) \esum_(v in setT) h (u + t * v)%N)%E.
  rewrite /laplace_attempt /bind (esum_below (n := t)) => [|u|u tu]; last 2 first.
  - have [ut|tu] := ltnP u t; last by rewrite uE ltnNge tu mul0r mul0e.
    by apply: mule_ge0; [exact: law_ge0 | exact: law_ge0 (laplace_given_is_law ut)].
  - by rewrite uE ltnNge tu mul0r mul0e.
  apply: eq_bigr => u _; rewrite uE ltn_ord mul1r /laplace_given bernoulli_exp_law // add0r.
  have e01 : 0 <= expR (- (u%:R / t%:R) : R) <= 1 by apply: expRN01; rewrite divr_ge0 ?ler0n.
  have vE : bind quotient (fun v => bind (coin 2%:R^-1) (fun neg => ret (signed neg ((u + t * v) %/ s)))) (Some z) =
      (\esum_(v in setT) (p ^+ v * (1 - p) * ((((u + t * v) %/ s)%N == `|z|%N)%:R / 2%:R))%:E)%E.
    by apply: eq_esum => v _; rewrite fair_sign (proj1 quotient_law) EFinM.
  have v0 v : 0 <= p ^+ v * (1 - p) * ((((u + t * v) %/ s)%N == `|z|%N)%:R / 2%:R).
    apply: mulr_ge0; last by rewrite divr_ge0 ?ler0n.
    by apply: mulr_ge0; [exact: exprn_ge0 | rewrite subr_ge0 ltW].
  rewrite bind_coin // => [|[]]; [|by rewrite vE; apply: esum_ge0 => v _; rewrite lee_fin|by rewrite lee_fin].
  rewrite vE /mass_functions.ret mule0 adde0 muleA -EFinM -esum_scale => [| |v]; last 2 first.
  - by case/andP: e01 => e0 _; rewrite mulr_ge0 ?invr_ge0 ?ler0n.
  - by rewrite lee_fin.
  apply: eq_esum => v _; rewrite -EFinM; congr EFin.
  have -> : rho ^+ (u + t * v) = expR (- (u%:R / t%:R)) * p ^+ v.
    have tR : t%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
    by rewrite exprD exprM (expRN_nat t%:R^-1 u) (expRN_nat t%:R^-1 t) mulfV.
  by rewrite /weight; set y := p ^+ v; set x := _%:R; set e := expR _; field; rewrite pnatr_eq0 -lt0n.
rewrite -esum_residues // (esum_residues (t := s)) //.
transitivity (\sum_(i < s) h (i + s * `|z|)%N)%E.
  apply: eq_bigr => i _; apply: esum_one => // v vz.
  by rewrite /h addnC mulnC divnMDl // divn_small // addn0 (negbTE vz) mulr0.
rewrite sumEFin /total mulr_sumr mulr_suml; congr EFin; apply: eq_bigr => i _.
have -> : ((i + s * `|z|) %/ s)%N = `|z|%N by rewrite addnC mulnC divnMDl // divn_small // addn0.
by rewrite eqxx mulr1 exprD exprM (expRN_nat t%:R^-1 s) mulrA.
Qed.

Lemma discrete_laplace_law :
  (forall z, discrete_laplace t s z = (q ^+ `|z|%N / ((1 + q) / (1 - q)))%:E) /\ is_law (discrete_laplace t s).
Proof.
have /andP[q0 q1] := q01.
apply: (rejection laplace_attempt_is_law total_gt0 (w := fun z : int => q ^+ `|z|%N)).
- by apply: divr_gt0; [rewrite ltr_spaddl | rewrite subr_gt0].
- exact: laplace_attempt_some.
- by apply: esum_two_sided; exact: q01.
Qed.

(* geometric t/s: a discrete Laplace variate, drawn again until it is not negative *)
Definition geometric : mass R int_choiceType :=
  loop (bind (discrete_laplace t s) (fun z => ret (if (0 <= z)%R then Some z else None))).

Lemma geometric_law :
  (forall z, geometric z = ((0 <= z)%R%:R * q ^+ `|z|%N * (1 - q))%:E) /\ is_law geometric.
Proof.
have /andP[q0 q1] := q01; have [lE ll] := discrete_laplace_law.
have Z0 : 0 < (1 - q)^-1 by rewrite invr_gt0 subr_gt0.
have c0 : 0 < ((1 + q) / (1 - q))^-1.
  by rewrite invr_gt0; apply: divr_gt0; [rewrite ltr_spaddl | rewrite subr_gt0].
have := @rejection _ _ (bind (discrete_laplace t s) (fun z => ret (if (0 <= z)%R then Some z else None)))
  _ _ (fun z : int => (0 <= z)%R%:R * q ^+ `|z|%N) _ c0 Z0.
rewrite invrK; apply.
- by apply: bind_law => // z; exact: ret_law.
- move=> z; case: (boolP (0 <= z)) => z0.
    rewrite (@bind_one _ _ _ _ _ z) /mass_functions.ret ?z0 ?eqxx ?mule1 ?lee_fin //; first last.
    + by move=> x xz; case: ifP => // _; case: eqP => // -[] /eqP; rewrite (negbTE xz).
    + by move=> x; exact: law_ge0.
    by rewrite lE mul1r mulrC.
  rewrite bind_none ?mul0r ?mulr0 // => x; rewrite /mass_functions.ret; case: ifP => // x0; case: eqP => // -[xz].
  by rewrite -xz x0 in z0.
rewrite esum_int => [|z]; last by rewrite lee_fin mulr_ge0 ?ler0n ?exprn_ge0.
rewrite [X in (_ + X)%E]esum1 ?adde0 => [|n _]; last by rewrite mul0r.
by rewrite -(esum_geometric (q := q)) ?q01 //; apply: eq_esum => n _; rewrite mul1r.
Qed.
End scale.
End discrete_laplace.
