(* How K-norm noise is drawn: of a pair of semidefinite matrices the difference N = P - Q is kept if P + Q is at least |N|.
   Then P = N_+ + R and Q = N_- + R with a semidefinite R, and N and R are independent. For beyond.k-norm-sampler. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
From mathcomp.algebra_tactics Require Import ring.
From DPMatrix Require Import differential_privacy lebesgue_space additive_noise symmetrised_noise second_moment.
From DPMatrix Require Import wishart_noise coupled_traces norm_noise k_norm positive_parts norm_totals.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section pairs.
Variables (R : realType) (d : nat).
Notation vector := 'rV[R]_(triangle_size d).
Notation point := (space R (triangle_size d)).
Notation lambda := (lebesgue R (triangle_size d)).
Implicit Types (x r b : vector) (S : set point).

(* P + Q is at least |P - Q| *)
Definition accepted : set (point * point) := [set w | semidefinite (w.1 + w.2 - absolute (w.1 - w.2))].
(* how probable it is that (P, Q), of density f, is accepted and b + P - Q is in S *)
Definition accepted_law (f : point * point -> \bar R) b S : \bar R :=
  density_law (pair_measure R (triangle_size d)) f
    (accepted `&` (fun w : point * point => b + w.1 - w.2 : point) @^-1` S).

Definition split x r : point * point := (positive_part x + r, negative_part x + r).
Lemma split_difference x r : (split x r).1 - (split x r).2 = x.
Proof. by rewrite /split /negative_part /= opprD addrACA subrr addr0 opprB addrC subrK. Qed.
Lemma split_accepted x r : (split x r \in accepted) = (r \in (@semidefinite R d : set point)).
Proof.
have e : (split x r).1 + (split x r).2 - absolute ((split x r).1 - (split x r).2) = r + r.
  by rewrite split_difference /split /absolute /= addrACA addrAC subrr add0r.
apply/idP/idP => /set_mem h; apply/mem_set; last by rewrite /accepted /mkset e; exact: semidefinite_add.
move: h; rewrite /accepted /mkset e => h u; have := h u.
rewrite symmetric_matrixD formE mulmxDr mulmxDl mxE -!formE -mulr2n pmulrn_lge0//.
Qed.

Lemma measurable_accepted : measurable accepted.
Proof.
have m1 := @measurable_fst _ _ point point; have m2 := @measurable_snd _ _ point point.
have mc (g : point * point -> point) i : measurable_fun setT g -> measurable_fun setT (fun w => g w 0 i : R).
  by move=> mg; exact: (measurable_fun_comp (measurable_coordinate i) mg).
have mN : measurable_fun setT (fun w : point * point => w.1 - w.2 : point).
  apply: measurable_into_space => i; under eq_fun do rewrite !mxE.
  by apply: measurable_funB; exact: mc.
have mA : measurable_fun setT (fun w : point * point => w.1 + w.2 - absolute (w.1 - w.2) : point).
  apply: measurable_into_space => i; rewrite /absolute /negative_part; under eq_fun do rewrite !mxE.
  have mP := mc _ i (measurable_fun_comp (@measurable_positive_part R d) mN).
  apply: measurable_funB; first by apply: measurable_funD; exact: mc.
  by apply: measurable_funD => //; apply: measurable_funB => //; apply: measurable_funB; exact: mc.
by rewrite -[X in measurable X]setTI; apply: mA => //; exact: measurable_semidefinite.
Qed.

(* for each Q, P = N + Q, and then for each N, Q = N_- + R: two translations *)
Lemma integral_split (f : point * point -> \bar R) : measurable_fun setT f -> (forall w, 0 <= f w)%E ->
  (\int[pair_measure R (triangle_size d)]_w f w = \int[lambda]_x \int[lambda]_r f (split x r))%E.
Proof.
move=> mf f0; have sf := @sigma_finite_space R (triangle_size d).
have m1 := @measurable_fst _ _ point point; have m2 := @measurable_snd _ _ point point.
pose g (w : point * point) := f (w.1 + w.2 : vector, w.2).
have mg : measurable_fun setT g.
  apply: (measurable_fun_comp mf); apply/prod_measurable_funP; split; last exact: m2.
  apply: measurable_into_space => i; rewrite /comp /=; under eq_fun do rewrite !mxE.
  apply: measurable_funD.
  - exact: (measurable_fun_comp (measurable_coordinate i) m1).
  - exact: (measurable_fun_comp (measurable_coordinate i) m2).
have g0 w : (0 <= g w)%E by exact: f0.
have section1 (h : point * point -> \bar R) q : measurable_fun setT h -> measurable_fun setT (fun p : point => h (p, q)).
  move=> mh; apply: (measurable_fun_comp mh); apply/prod_measurable_funP; split.
  - exact: measurable_fun_id.
  - exact: measurable_fun_cst.
have section2 (h : point * point -> \bar R) p : measurable_fun setT h -> measurable_fun setT (fun q : point => h (p, q)).
  move=> mh; apply: (measurable_fun_comp mh); apply/prod_measurable_funP; split.
  - exact: measurable_fun_cst.
  - exact: measurable_fun_id.
have outer h mh h0 := @fubini_tonelli1 _ _ point point R lambda lambda sf h mh h0.
have inner h mh h0 := @fubini_tonelli2 _ _ point point R lambda lambda sf sf h mh h0.
transitivity (\int[pair_measure R (triangle_size d)]_w g w)%E.
  transitivity (\int[lambda]_q fubini_G lambda f q)%E; first exact: inner.
  transitivity (\int[lambda]_q fubini_G lambda g q)%E; last exact/esym/inner.
  apply: eq_integral => q _; rewrite /fubini_G.
  exact/esym/(@integral_translation R _ q (fun p => f (p, q)) (section1 f q mf) (fun p => f0 (p, q))).
transitivity (\int[lambda]_x fubini_F lambda g x)%E; first exact: outer.
apply: eq_integral => x _; rewrite /fubini_F.
rewrite -(@integral_translation R _ (negative_part x) (fun q => g (x, q)) (section2 g x mg) (fun q => g0 (x, q))).
apply: eq_integral => r _; rewrite /g /split /=.
have -> : r + negative_part x = negative_part x + r by exact: addrC.
by rewrite addrA [x + _]addrC subrK.
Qed.

(* a density that is a product where R is semidefinite *)
Lemma accepted_product (f : point * point -> \bar R) (g k : point -> \bar R) b S :
  measurable_fun setT f -> (forall w, 0 <= f w)%E -> measurable_fun setT g -> (forall x, 0 <= g x)%E ->
  measurable_fun setT k -> (forall r, 0 <= k r)%E ->
  (forall x r, semidefinite r -> f (split x r) = g x * k r)%E -> measurable S ->
  accepted_law f b S = (density_law lambda k (@semidefinite R d) * noisy g b S)%E.
Proof.
move=> mf f0 mg g0 mk k0 fE mS; rewrite /accepted_law /noisy /image_law /density_law.
rewrite [LHS]integral_mkcond [X in (_ * X)%E]integral_mkcond [X in (X * _)%E]integral_mkcond.
set D := accepted `&` _; set B := (X in g \_ X).
have mD : measurable D.
  by apply: measurableI; [exact: measurable_accepted | have := measurable_release b measurableT mS; rewrite setTI].
have mB : measurable B by have := measurable_add b measurableT mS; rewrite setTI.
have restricted T (h : T -> \bar R) (E : set T) t : (0 <= h t)%E -> (0 <= (h \_ E) t)%E.
  by move=> h0; rewrite /patch; case: ifP.
have mk' : measurable_fun setT (k \_ (@semidefinite R d : set point)).
  apply/(measurable_restrict _ (@measurable_semidefinite R d) measurableT) => //.
  exact: (measurable_funS measurableT (@subsetT _ _) mk).
have mg' : measurable_fun setT (g \_ B).
  by apply/(measurable_restrict _ mB measurableT) => //; exact: (measurable_funS measurableT (@subsetT _ _) mg).
rewrite integral_split; last 2 first.
- by apply/(measurable_restrict _ mD measurableT) => //; exact: (measurable_funS measurableT (@subsetT _ _) mf).
- by move=> w; exact: restricted.
rewrite -ge0_integralM//; last 2 first.
- by move=> x _; exact: restricted.
- by apply: integral_ge0 => r _; exact: restricted.
apply: eq_integral => x _; rewrite muleC -ge0_integralM//; last 2 first.
- by move=> r _; exact: restricted.
- exact: restricted.
apply: eq_integral => r _; rewrite /patch.
have -> : (split x r \in D) = (x \in B) && (r \in (@semidefinite R d : set point)).
  rewrite in_setI split_accepted andbC; congr (_ && _).
  have e : b + (split x r).1 - (split x r).2 = x + b by rewrite -addrA split_difference addrC.
  by apply/idP/idP => /set_mem h; apply/mem_set; move: h; rewrite /B /preimage /mkset e.
case: (x \in B); last by rewrite mul0e.
by have [/set_mem Kr|_] /= := boolP (r \in _); [exact: fE | rewrite mule0].
Qed.
End pairs.

Section sampler.
Variables (R : realType) (d n : nat) (eps : R).
Notation N := (triangle_size d).
Notation K := (@semidefinite R d).
Notation l := (@scaled_trace R d (n%:R * eps)^-1).
Notation rate := (n%:R * eps).
Implicit Types (x r : 'rV[R]_N).

Lemma rate_trace x : l x = rate * \tr (symmetric_matrix x).
Proof. by rewrite /scaled_trace invrK mulrC. Qed.
Lemma split_traces x r :
  l (split x r).1 = rate * positive_trace x + l r /\ l (split x r).2 = rate * positive_trace (- x) + l r.
Proof.
rewrite /split /= (scaled_trace_add _ (positive_part x)) (scaled_trace_add _ (negative_part x)).
rewrite (rate_trace (positive_part x)) (rate_trace (negative_part x)).
by rewrite trace_positive_part trace_negative_part.
Qed.
Lemma split_semidefinite x r : semidefinite r ->
  \1_(K : set (space R N)) (split x r).1 = 1 :> R /\ \1_(K : set (space R N)) (split x r).2 = 1 :> R.
Proof.
have [sp sm _] := positive_partP x.
by move=> sr; split; rewrite indicE mem_set//; apply: semidefinite_add.
Qed.
Lemma measurable_exponential (h : 'rV[R]_N -> R) : measurable_fun setT (h : space R N -> R) ->
  measurable_fun setT (fun x : space R N => (expR (- h x))%:E).
Proof.
move=> mh; apply: measurable_fun_comp; first exact: measurable_fun_EFin.
by apply: (measurable_fun_comp (@measurable_expR R)); exact: measurable_funN.
Qed.

(* exp(-n eps |x|), to which a density is proportional *)
Definition exponential (h : 'rV[R]_N -> R) (x : space R N) : \bar R := (expR (- (rate * h x)))%:E.
Lemma exponential_product (h : 'rV[R]_N -> R) (f : space R N * space R N -> \bar R) (z m : R) b S :
  measurable_fun setT (h : space R N -> R) -> measurable_fun setT f -> (forall w, 0 <= f w)%E -> 0 <= z ->
  (forall x r, semidefinite r -> f (split x r) = (expR (- (rate * h x)) * (z * expR (- (m * l r))))%:E) -> measurable S ->
  accepted_law f b S = (density_law (lebesgue R N) (fun r => (z * expR (- (m * l r)))%:E) K * noisy (exponential h) b S)%E.
Proof.
move=> mh mf f0 z0 fE mS; have ml := @measurable_scaled_trace R d (n%:R * eps)^-1.
apply: accepted_product => // [|x||r].
- by apply: measurable_exponential; apply: measurable_funM => //; exact: measurable_fun_cst.
- exact: expR_ge0E.
- under eq_fun do rewrite EFinM; apply: measurable_funeM; apply: measurable_exponential.
  by apply: measurable_funM => //; exact: measurable_fun_cst.
- by rewrite lee_fin mulr_ge0// ltW// expR_gt0.
Qed.
End sampler.

Lemma accepted_proportional (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let l := @scaled_trace R d (n%:R * eps)^-1 in
  let independent w := (cone_noise (@semidefinite R d) l w.1 * cone_noise (@semidefinite R d) l w.2)%E in
  let proportional f h := exists share, forall b S, measurable S ->
    accepted_law f b S = (share * noisy (exponential n eps h) b S)%E in
  proportional (coupled_noise (@semidefinite R d) l) (@replaced_norm R d) /\
  proportional independent (@nuclear_norm R d).
Proof.
move=> n0 eps0 l independent proportional.
have ml := @measurable_scaled_trace R d (n%:R * eps)^-1; have mK := @measurable_semidefinite R d.
split; eexists => b S mS.
- apply: (exponential_product (z := (fine (coupled_total (@semidefinite R d) l))^-1) (m := 1)) => // [||||x r sr].
  + apply: measurable_gauge; [exact: replaced_normD | exact: replaced_normZ].
  + exact: measurable_coupled_noise.
  + exact: coupled_noise_ge0.
  + exact: coupled_scale_ge0.
  + have [e1 e2] := split_traces n eps x r; have [i1 i2] := split_semidefinite x sr.
    rewrite /coupled_noise /coupled_weight i1 i2 /l e1 e2 !mulr1 mul1r; congr EFin.
    rewrite [RHS]mulrCA -expRD; congr (_ * expR _).
    by rewrite -opprD /replaced_norm maxr_pmulr ?addr_maxl// mulr_ge0// ltW.
- pose z := (fine (cone_total (@semidefinite R d) l))^-1.
  apply: (exponential_product (z := z * z) (m := 2%:R)) => // [||||x r sr].
  + apply: measurable_gauge; [exact: nuclear_normD | exact: nuclear_normZ].
  + exact: measurable_pair_noise.
  + by move=> w; exact: pair_noise_ge0.
  + by rewrite mulr_ge0// invr_ge0 fine_ge0// cone_total_ge0.
  + have [e1 e2] := split_traces n eps x r; have [i1 i2] := split_semidefinite x sr.
    rewrite /independent /cone_noise /cone_density /cone_weight -EFinM i1 i2 /z /l e1 e2 !mulr1 mulrACA -expRD; congr EFin.
    by rewrite [RHS]mulrCA -expRD; congr (_ * expR _); rewrite /nuclear_norm; ring.
Qed.

(* (P, Q), those of coupled_traces_is_private or independent, is accepted with a probability that does not depend on b, and
   given that it is, b + P - Q has the law of b and K-norm noise *)
Theorem k_norm_sampler (R : realType) (d n : nat) (eps : R) : (0 < n)%N -> 0 < eps ->
  let l := @scaled_trace R d (n%:R * eps)^-1 in
  let independent w := (cone_noise (@semidefinite R d) l w.1 * cone_noise (@semidefinite R d) l w.2)%E in
  let sampled f h := exists share, forall b, accepted_law f b setT = share /\
    forall S, measurable S -> accepted_law f b S = (share * noisy (norm_noise (fun x => n%:R * eps * h x)%R) b S)%E in
  sampled (coupled_noise (@semidefinite R d) l) (@replaced_norm R d) /\ sampled independent (@nuclear_norm R d).
Proof.
move=> n0 eps0 l independent sampled; have [coupled_part independent_part] := accepted_proportional d n0 eps0.
have [coupled_total independent_total] := k_norm_total d n0 eps0.
have normalise f (h : 'rV[R]_(triangle_size d) -> R) : measurable_fun setT (h : space R (triangle_size d) -> R) ->
    (0 < norm_total (fun x => n%:R * eps * h x)%R < +oo)%E ->
    (exists share, forall b S, measurable S -> accepted_law f b S = (share * noisy (exponential n eps h) b S)%E) ->
    sampled f h.
  move=> mh tot [share H]; set k := (fun x => _) in tot *; have mk : measurable_fun setT (k : space R _ -> R).
    by apply: measurable_funM => //; exact: measurable_fun_cst.
  have t0 : (0 <= norm_total k)%E by case/andP: tot => /ltW.
  have tf : norm_total k = (fine (norm_total k))%:E by rewrite fineK// ge0_fin_numE//; case/andP: tot.
  have tp : fine (norm_total k) != 0 by move: tot; rewrite tf lte_fin => /andP[/gt_eqF ->].
  have e b S : measurable S -> noisy (exponential n eps h) b S = (norm_total k * noisy (norm_noise k) b S)%E.
    move=> mS; have mB := measurable_add b measurableT mS; rewrite setTI in mB.
    rewrite /noisy /image_law /density_law -ge0_integralM//; last 2 first.
    - exact: (measurable_funS measurableT (@subsetT _ _) (measurable_norm_noise mk)).
    - by move=> x _; exact: norm_noise_ge0.
    by apply: eq_integral => x _; rewrite /norm_noise {1}tf -EFinM mulVKf.
  have eT b : accepted_law f b setT = (share * norm_total k)%E.
    by rewrite H// noisy_total.
  by exists (share * norm_total k)%E => b; split=> // S mS; rewrite H// e// muleA.
split; apply: normalise => //; apply: measurable_gauge.
- exact: replaced_normD.
- exact: replaced_normZ.
- exact: nuclear_normD.
- exact: nuclear_normZ.
Qed.
