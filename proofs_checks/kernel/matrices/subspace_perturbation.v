(* How far the span of the first k eigenvectors turns when a matrix is added, in Frobenius norm and for every size:
   compression.proposition-3-4, wishart.theorem-6 and the k = 1 case in wishart.theorem-7, wishart.projector-norm-property. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPMatrix.matrices Require Import inner_products spectral_theorem eigenvalues spectral_norms projectors.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section subspace_perturbation.
Variable R : rcfType.
Variable d : nat.
Implicit Types (A B P Q W : 'M[R]_d) (a b c l : 'rV[R]_d) (x v : 'cV[R]_d).

Definition frobenius A := Num.sqrt (frobenius2 A).

Lemma frobenius_ge0 A : 0 <= frobenius A. Proof. exact: sqrtr_ge0. Qed.

Lemma frobenius_sqr A : frobenius A ^+ 2 = frobenius2 A.
Proof. by rewrite sqr_sqrtr ?frobenius2_ge0. Qed.

Lemma frobenius2_eigenvalues Q l A : spectrum Q l A -> frobenius2 A = \sum_i l 0 i ^+ 2.
Proof.
move=> S; rewrite frobenius2E (spectrum_symmetric S) (trace_spectrum A S); apply: eq_bigr => i _.
by rewrite (form_eigenvector i S) expr2.
Qed.

Lemma sum_cauchy_schwarz n (p q : 'I_n -> R) :
  (\sum_i p i * q i) ^+ 2 <= (\sum_i p i ^+ 2) * (\sum_i q i ^+ 2).
Proof.
have := cauchy_schwarz (\col_i p i) (\col_i q i); rewrite /norm2 /dot.
under eq_bigr do rewrite !mxE; under [X in _ <= X * _]eq_bigr do rewrite !mxE -expr2.
by under [X in _ <= _ * X]eq_bigr do rewrite !mxE -expr2.
Qed.

Lemma trace_le_frobenius A B : symmetric A -> symmetric B -> `|\tr (A *m B)| <= frobenius A * frobenius B.
Proof.
move=> /spectral_theorem [Q [l S]] symB; have [QQ _ _] := S.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?mulr_ge0 ?frobenius_ge0 // real_normK ?num_real // exprMn !frobenius_sqr.
rewrite (trace_spectrum B S) (frobenius2_eigenvalues S); apply: le_trans (sum_cauchy_schwarz _ _) _.
rewrite ler_wpmul2l ?sumr_ge0 // => [i _|]; first exact: sqr_ge0.
rewrite frobenius2E symB (trace_frame _ QQ); apply: ler_sum => i _.
rewrite -{2}symB form_gram; apply: le_trans (cauchy_schwarz _ _) _.
by rewrite norm2_col // mul1r.
Qed.

Lemma added_symmetric QA a A QC c B : spectrum QA a A -> spectrum QC c (A + B) -> symmetric B.
Proof.
move=> /spectrum_symmetric SA /spectrum_symmetric; rewrite /symmetric linearD /= SA.
exact: addrI.
Qed.

(* compression.proposition-3-4: half the gap times the distance is at most the Frobenius norm of what is added. *)
Theorem projector_moves_by_at_most (i j : 'I_d) QA a A QC c B :
  spectrum QA a A -> spectrum QC c (A + B) -> i.+1 = j -> a 0 j < a 0 i ->
  frobenius (top_projector QA j - top_projector QC j) <= frobenius B / ((a 0 i - a 0 j) / 2%:R).
Proof.
move=> SA SC ij gap; have [QQ _ _] := SA; have [QQC _ _] := SC; have jd : (j <= d)%N by exact: ltnW.
have g0 : 0 < (a 0 i - a 0 j) / 2%:R by rewrite divr_gt0 ?subr_gt0 ?ltr0n.
set D := _ - _; have pC := projector_top j QQC; have pA := projector_top j QQ.
have symD : symmetric D by rewrite /symmetric linearB /= pA.1 pC.1.
have symB : symmetric B := added_symmetric SA SC.
have low := captured_less SA pC ij (trace_top QQC jd).
have opt : \tr ((A + B) *m D) <= 0.
  rewrite mulmxBr linearB /= subr_le0 (trace_top_spectrum _ SC).
  exact: captured_most SC pA (trace_top QQ jd) jd.
have up : \tr (A *m D) <= frobenius B * frobenius D.
  move: opt; rewrite mulmxDl linearD /= -ler_subr_addr sub0r => /le_trans; apply.
  by apply: le_trans (trace_le_frobenius symB symD); rewrite -normrN ler_norm.
rewrite ler_pdivl_mulr // mulrC; have [->|f0] := eqVneq (frobenius D) 0; first by rewrite mulr0 frobenius_ge0.
have fp : 0 < frobenius D by rewrite lt_def f0 frobenius_ge0.
by rewrite -(ler_pmul2r fp) -mulrA -expr2 frobenius_sqr; apply: le_trans up.
Qed.

(* The difference of two projectors onto spans of k columns has at most 2k eigenvalues that are not 0. *)
Lemma few_eigenvalues k (V U : 'M[R]_(d, k)) Q l :
  spectrum Q l (V *m V^T - U *m U^T) -> (#|[pred i | (l 0 i != 0)%R]| <= k.*2)%N.
Proof.
move=> S; have [QQ _ _] := S; rewrite leqNgt; apply/negP => many.
pose zero := [seq col i Q | i <- enum [pred i | l 0 i == 0]].
pose cols (M : 'M[R]_(d, k)) := [seq col h M | h <- enum 'I_k].
have [|x x0 common] := @common_vector R d (zero ++ cols V ++ cols U).
  have sz M : size (cols M) = k by rewrite size_map size_enum_ord.
  have := cardC [pred i : 'I_d | l 0 i == 0]; rewrite card_ord !size_cat !sz size_map -cardE addnn => e.
  by rewrite -[X in (_ < X)%N]e ltn_add2l; exact: many.
have kill M : {subset cols M <= zero ++ cols V ++ cols U} -> M^T *m x = 0.
  move=> sub; apply/colP => h; rewrite coordinate mxE; apply: common; apply: sub.
  by apply/map_f; rewrite mem_enum.
have VX : V^T *m x = 0 by apply: kill => v vV; rewrite !mem_cat vV !orbT.
have UX : U^T *m x = 0 by apply: kill => v vV; rewrite !mem_cat vV !orbT.
have := eigenvector_image x S; rewrite mulmxBl -!mulmxA VX UX !mulmx0 subrr /norm2 dot0r => /esym/eqP.
rewrite psumr_eq0 => [/allP zeros|i _]; last by rewrite mulr_ge0 ?sqr_ge0.
case/negP: x0; rewrite -norm2_eq0 (norm2_coordinates x QQ) psumr_eq0 => [|i _]; last exact: sqr_ge0.
apply/allP => i _; have := zeros i (mem_index_enum i); rewrite /= mulf_eq0 !sqrf_eq0.
have [li _|] //= := eqVneq (l 0 i) 0; rewrite common // mem_cat; apply/orP; left.
by apply/map_f; rewrite mem_enum inE li.
Qed.

(* wishart.projector-norm-property+repair. *)
Theorem frobenius_of_projector_difference k (V U : 'M[R]_(d, k)) s :
  frame V -> frame U -> spectral_bound (V *m V^T - U *m U^T) s ->
  frobenius (V *m V^T - U *m U^T) <= Num.sqrt (2%:R * k%:R) * s.
Proof.
move=> VV UU Ds; have [s0 _] := Ds; set D := _ - _ in Ds *.
have symD : symmetric D by rewrite /symmetric linearB /= !trmx_mul !trmxK.
have [Q [l S]] := spectral_theorem symD; have [QQ _ _] := S.
rewrite -(@ler_pexpn2r _ 2) ?nnegrE ?frobenius_ge0 ?mulr_ge0 ?sqrtr_ge0 // exprMn frobenius_sqr.
rewrite sqr_sqrtr ?mulr_ge0 ?ler0n // (frobenius2_eigenvalues S).
rewrite (bigID (fun i => l 0 i != 0)) /= [X in _ + X]big1 ?addr0 => [|i]; last by rewrite negbK => /eqP ->; rewrite expr0n.
apply: le_trans (_ : \sum_(i < d | l 0 i != 0) s ^+ 2 <= _).
  apply: ler_sum => i _; rewrite -(real_normK (num_real _)) ler_pexpn2r ?nnegrE ?normr_ge0 //.
  by rewrite -(form_eigenvector i S) spectral_form_unit ?norm2_col.
rewrite sumr_const -mulr_natl -natrM ler_wpmul2r ?sqr_ge0 // ler_nat mul2n.
exact: few_eigenvalues S.
Qed.

End subspace_perturbation.
